import { Migration } from '@mikro-orm/migrations';

/**
 * Who follows which thread, and how far they have read it (contract §6). Threads of earlier versions, whose `last_seq` is 0,
 * get their followers with their next reply.
 */
export class ThreadFollows extends Migration {
  override up(): void {
    this.addSql(`alter table threads add column last_seq bigint not null default '0'`);
    this.addSql(
      `create table thread_follows (thread_id uuid not null, user_id uuid not null, state text not null, by_choice boolean not null default false, last_read_seq bigint not null default '0', is_unread boolean not null default false, active_at timestamptz(3) not null, primary key (thread_id, user_id))`,
    );
    this.addSql(
      'create index thread_follows_inbox on thread_follows (user_id, state, is_unread, active_at, thread_id)',
    );
    this.addSql(
      'alter table thread_follows add constraint thread_follows_thread_id_foreign foreign key (thread_id) references threads (id) on delete cascade',
    );
  }
}

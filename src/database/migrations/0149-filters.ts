import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';
const references = (column: string, table: string, rule: string) =>
  `add constraint %_${column}_foreign foreign key (${column}) references ${table} (id) on delete ${rule}`;

/** Words and links that servers do not want, and messages that wait for a moderator (contract §6). Older nodes filter nothing. */
export class Filters extends Migration {
  override up(): void {
    this.addSql('alter table servers add column hold_new_member_links_hours int not null default 0');
    this.addSql(
      'create table server_filters (id uuid not null, server_id uuid not null, kind text not null, pattern text not null, form text not null, action text not null, created_by uuid null, created_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql('create index server_filters_creator on server_filters (created_by)');
    this.addSql('alter table server_filters add constraint server_filters_form unique (server_id, kind, form)');
    this.refer(
      'server_filters',
      references('server_id', 'servers', 'cascade'),
      references('created_by', 'users', 'set null'),
    );
    this.hold();
    this.watch();
  }

  private hold(): void {
    this.addSql(
      'create table held_messages (id uuid not null, server_id uuid not null, channel_id uuid not null, author_id uuid not null, kind text not null, message_id uuid null, thread_id uuid null, reply_to_id uuid null, content text not null, previous_content text null, metadata json null, nonce text null, sent_key text null, reason text not null, pattern text null, status text not null, busy_until timestamptz(3) null, decided_by uuid null, decided_at timestamptz(3) null, created_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql(
      `create index held_messages_queue on held_messages (server_id, id) where status in ('waiting', 'flagged')`,
    );
    this.addSql('create index held_messages_own on held_messages (author_id, channel_id)');
    this.addSql('create index held_messages_expiring on held_messages (created_at)');
    this.addSql(
      'create index held_messages_edits on held_messages (channel_id, message_id) where message_id is not null',
    );
    this.addSql('create index held_messages_decider on held_messages (decided_by)');
    for (const column of ['nonce', 'sent_key']) {
      this.addSql(
        `create unique index held_messages_${column} on held_messages (channel_id, author_id, ${column}) where ${column} is not null`,
      );
    }
    this.refer(
      'held_messages',
      references('server_id', 'servers', 'cascade'),
      references('channel_id', 'channels', 'cascade'),
      references('author_id', 'users', 'cascade'),
      references('decided_by', 'users', 'set null'),
    );
    // Files of what waits are kept until it is decided.
    this.addSql('alter table attachments add column held_id uuid null');
    this.addSql(
      'alter table attachments add constraint attachments_held_id_foreign foreign key (held_id) references held_messages (id) on delete set null not valid',
    );
  }

  private refer(table: string, ...constraints: string[]): void {
    this.addSql(`alter table ${table} ${constraints.join(', ').replaceAll('%', table)}`);
  }

  /** Drops what nodes cache of a server's filters at each change to them. */
  private watch(): void {
    const run = `execute function invalidate('server-filters', 'server_id')`;
    this.addSql(
      `create trigger invalidate_server_filters_updated after update of action on server_filters for each row ${run}`,
    );
    for (const [event, kind] of [
      ['insert', 'new'],
      ['delete', 'old'],
    ]) {
      this.addSql(`create trigger invalidate_server_filters_${event} after ${event} on server_filters
        referencing ${kind} table as changed for each statement ${run}`);
    }
    this.addSql(`create function invalidate_new_member_links() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys) values ('server-filters', array[new.id::text]);
      return null; end $$`);
    this.addSql(`create trigger invalidate_new_member_links after update of hold_new_member_links_hours on servers
      for each row when (old.hold_new_member_links_hours <> new.hold_new_member_links_hours)
      execute function invalidate_new_member_links()`);
  }
}

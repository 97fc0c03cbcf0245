import { Migration } from '@mikro-orm/migrations';

/** An operator's SQL or a restore may run with another search path. */
const here = 'set search_path from current';

/**
 * Nodes look twice a second for events that they missed, in the logs of everybody connected to them. Those of people and
 * of direct messages are as many as people, and hardly ever move: a trigger notes which of them did, whoever moved it.
 * Other logs are not noted: they are few, and a send would pay for it.
 */
export class MovedLogs extends Migration {
  override up(): void {
    this.addSql(
      `create table moved_logs (xid xid8 not null default pg_current_xact_id(), stream_id uuid not null, created_at timestamptz(3) not null default clock_timestamp(), primary key (xid, stream_id))`,
    );
    // Of direct messages; those of people are known by their kind.
    this.addSql('alter table streams add column is_direct boolean not null default false');
    this.addSql(`create function note_direct_log() returns trigger language plpgsql ${here} as $$ begin
      new.is_direct := exists (select from dm_channels where channel_id = new.id);
      return new; end $$`);
    this.addSql(`create trigger note_direct_log before insert on streams
      for each row when (new.kind = 'channel') execute function note_direct_log()`);
    this.addSql('update streams set is_direct = true where id in (select channel_id from dm_channels)');
    this.addSql(`create function note_moved_log() returns trigger language plpgsql ${here} as $$ begin
      insert into moved_logs (stream_id) values (new.id) on conflict do nothing;
      return null; end $$`);
    this.addSql(`create trigger note_moved_log after update of last_seq on streams
      for each row when ((new.kind = 'user' or new.is_direct) and new.last_seq <> old.last_seq)
      execute function note_moved_log()`);
  }
}

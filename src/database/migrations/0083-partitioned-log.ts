import { Migration } from '@mikro-orm/migrations';

/**
 * The log is partitioned by time. The table of before becomes its default partition, which moves and reads no row and
 * takes a moment whatever is in it; a node bounds it later, while it is written to (see database/partitions/log-table.ts).
 *
 * The partitioned table has no primary key, each partition has one of stream and number. A key of the whole table would
 * have to contain the time, in each entry once more. That a number is in one partition only follows from the lock on the
 * head of the log, under which it is taken.
 */
export class PartitionedLog extends Migration {
  override up(): void {
    // First a lock that keeps nobody from writing: an autovacuum of the table gives way to it, which takes a second.
    this.addSql(`set local lock_timeout = '10s'`);
    this.addSql('lock table log_entries in share update exclusive mode');
    // While this one is waited for, sends wait too.
    this.addSql(`set local lock_timeout = '100ms'`);
    this.addSql('lock table log_entries in access exclusive mode');
    this.addSql('alter table log_entries rename to log_entries_default');
    this.addSql('alter index log_entries_retold rename to log_entries_default_retold');
    this.addSql('alter index log_entries_quoting rename to log_entries_default_quoting');
    // In this order without gaps for alignment.
    this.addSql(
      `create table log_entries (stream_id uuid not null, seq bigint not null, created_at timestamptz(3) not null default now(), thread_id uuid null, is_outdated boolean not null default false, event text not null, data json not null) partition by range (created_at)`,
    );
    // Those of the attached table are taken as they are.
    this.addSql(
      `create index log_entries_retold on log_entries (stream_id, (data ->> 'id')) where event in ('message:updated', 'message:pinned', 'message:unpinned', 'thread:created', 'thread:updated') and not is_outdated`,
    );
    this.addSql(
      `create index log_entries_quoting on log_entries ((data ->> 'referenceId')) where event in ('notification:new', 'notification:updated')`,
    );
    this.addSql('alter table log_entries attach partition log_entries_default default');
    // Its arguments: from when on, and before when, the times of a table's entries have to be.
    this.addSql(`create function keep_within() returns trigger language plpgsql as $$ begin
      new.created_at := least(greatest(new.created_at, tg_argv[0]::timestamptz), tg_argv[1]::timestamptz - interval '1 ms');
      return new; end $$`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/**
 * One queue for all that follows a change. The table of the jobs that make notifications becomes it, with the jobs that are
 * in it. Its old name stays as a view of those jobs: nodes of an earlier version write, take, put back and delete them
 * through it as before, with the same row locks, so that either version runs a job of the other, exactly once, also when
 * an update is taken back. They never see other kinds, which they would count as failures and postpone. Copying rows from
 * a table of theirs would leave them without work after an update that is taken back.
 */
export class Jobs extends Migration {
  override up(): void {
    this.addSql('alter table notification_jobs rename to jobs');
    this.addSql('alter index notification_jobs_pkey rename to jobs_pkey');
    this.addSql(
      `alter table jobs add column kind text not null default 'notification', add column key text null, add column run_at timestamptz(3) not null default now(), add column error text null, add column died_at timestamptz(3) null`,
    );
    this.addSql('create index jobs_waiting on jobs (kind, id) where died_at is null');
    this.addSql('create unique index jobs_key on jobs (kind, key) where key is not null and died_at is null');
    this.addSql(
      `create view notification_jobs as select id, data, attempts, due_at from jobs where kind = 'notification' and died_at is null`,
    );
  }
}

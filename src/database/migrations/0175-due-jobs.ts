import { Migration } from '@mikro-orm/migrations';

/** Finds the jobs to run now among any number that wait for a later time. Older nodes ask in another order, by this index too. */
export class DueJobs extends Migration {
  override up(): void {
    this.addSql('create index jobs_due on jobs (kind, due_at, id) where died_at is null');
    this.addSql('drop index jobs_waiting');
  }
}

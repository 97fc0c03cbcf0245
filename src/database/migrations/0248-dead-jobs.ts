import { Migration } from '@mikro-orm/migrations';

/** Operators page through the jobs that were given up, however many wait. The queue is short, and so is the lock. */
export class DeadJobs extends Migration {
  override up(): void {
    this.addSql('create index jobs_dead on jobs (id) where died_at is not null');
  }
}

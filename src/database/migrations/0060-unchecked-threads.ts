import { Migration } from '@mikro-orm/migrations';

/** Threads go only with their channel, after its messages: that need not be checked for each message (see Message). */
export class UncheckedThreads extends Migration {
  override up(): void {
    this.addSql('alter table messages drop constraint messages_thread_id_foreign');
  }
}

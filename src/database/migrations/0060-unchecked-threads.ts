import { Migration } from '@mikro-orm/migrations';

/** Threads are deleted only with their channel, after its messages: messages need no check for that (see Message). */
export class UncheckedThreads extends Migration {
  override up(): void {
    this.addSql('alter table messages drop constraint messages_thread_id_foreign');
  }
}

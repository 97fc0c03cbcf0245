import { Migration } from '@mikro-orm/migrations';

/** What the lock on the head of a channel's log holds already need not be checked for each message (see Message). */
export class UncheckedMessages extends Migration {
  override up(): void {
    this.addSql('alter table messages drop constraint messages_channel_id_foreign');
    this.addSql('alter table messages drop constraint messages_author_id_foreign');
  }
}

import { Migration } from '@mikro-orm/migrations';

/** The lock on a channel's log already ensures these references: no check for each message is needed (see Message). */
export class UncheckedMessages extends Migration {
  override up(): void {
    this.addSql('alter table messages drop constraint messages_channel_id_foreign');
    this.addSql('alter table messages drop constraint messages_author_id_foreign');
  }
}

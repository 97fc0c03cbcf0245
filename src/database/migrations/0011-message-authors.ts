import { Migration } from '@mikro-orm/migrations';

/** Counts a user's messages without reading everyone's. */
export class MessageAuthors extends Migration {
  override up(): void {
    this.addSql(`create index messages_author on messages (author_id)`);
  }
}

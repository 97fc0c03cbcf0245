import { Migration } from '@mikro-orm/migrations';

/** To count what someone wrote without reading what everyone wrote. */
export class MessageAuthors extends Migration {
  override up(): void {
    this.addSql(`create index messages_author on messages (author_id)`);
  }
}

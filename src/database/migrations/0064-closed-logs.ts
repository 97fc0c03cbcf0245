import { Migration } from '@mikro-orm/migrations';

/** Nothing is sent to a channel any more once its log says that it is archived. */
export class ClosedLogs extends Migration {
  override up(): void {
    this.addSql('alter table streams add column is_closed boolean not null default false');
    this.addSql(`update streams set is_closed = true from channels c where c.id = streams.id and c.is_archived`);
  }
}

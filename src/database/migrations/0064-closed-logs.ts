import { Migration } from '@mikro-orm/migrations';

/** Once a channel's log is marked as closed (archived), no message can be sent to it. */
export class ClosedLogs extends Migration {
  override up(): void {
    this.addSql('alter table streams add column is_closed boolean not null default false');
    this.addSql(`update streams set is_closed = true from channels c where c.id = streams.id and c.is_archived`);
  }
}

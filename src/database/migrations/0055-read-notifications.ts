import { Migration } from '@mikro-orm/migrations';

/** Finds notifications that were read long ago, so that they can be deleted. */
export class ReadNotifications extends Migration {
  override up(): void {
    this.addSql(`create index notifications_read on notifications (read_at) where read_at is not null`);
  }
}

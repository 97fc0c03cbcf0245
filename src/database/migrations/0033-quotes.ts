import { Migration } from '@mikro-orm/migrations';

/** Indexes to find quotes of a message when it is deleted. */
export class Quotes extends Migration {
  override up(): void {
    this.addSql(
      `create index log_entries_quoting on log_entries ((data ->> 'referenceId')) where event in ('notification:new', 'notification:updated')`,
    );
    this.addSql(
      `create index notifications_reference on notifications (reference_id) where reference_type = 'message'`,
    );
  }
}

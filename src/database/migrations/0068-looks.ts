import { Migration } from '@mikro-orm/migrations';

/**
 * Replaces indexes that slowed down as tables grew. The indexes of ages summarized pages, and new rows in the space of
 * deleted ones kept every page's range as old as ever.
 */
export class Looks extends Migration {
  override up(): void {
    this.addSql('drop index log_entries_created');
    this.addSql('drop index idempotency_keys_created');
    this.addSql('create index idempotency_keys_age on idempotency_keys (created_at)');
    this.addSql('create index invite_codes_maker on invite_codes (created_by, created_at)');
    this.addSql(
      'create index notifications_open on notifications (user_id, kind, scope, created_at) where read_at is null',
    );
    this.addSql('drop index notifications_unread');
    this.addSql(
      'create index notifications_unread_recent on notifications (user_id, updated_at, id) where read_at is null',
    );
  }
}

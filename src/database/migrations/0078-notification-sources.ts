import { Migration } from '@mikro-orm/migrations';

/**
 * The sources of a notification: the messages that it counts. Each may be deleted, or stop mentioning its user.
 * Rows without sources are from before, or from an older node during a rolling update.
 */
export class NotificationSources extends Migration {
  override up(): void {
    this.addSql(
      `create table notification_sources (message_id uuid not null, user_id uuid not null, notification_id uuid null, was_read boolean not null default false, at timestamptz(3) not null, primary key (message_id, user_id))`,
    );
    this.addSql(
      'alter table notification_sources add constraint notification_sources_notification_id_foreign foreign key (notification_id) references notifications (id) on delete cascade',
    );
    this.addSql('create index notification_sources_of on notification_sources (notification_id, at)');
    this.addSql(
      'create index notification_sources_withdrawn on notification_sources (at) where notification_id is null',
    );
  }
}

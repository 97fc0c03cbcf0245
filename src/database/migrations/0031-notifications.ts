import { Migration } from '@mikro-orm/migrations';

/** Notifications, users' preferences for them, and the jobs that make them. */
export class Notifications extends Migration {
  override up(): void {
    this.addSql(
      `create table notification_jobs (id uuid not null, data json not null, attempts int not null default 0, due_at timestamptz(3) not null default now(), primary key (id))`,
    );
    this.addSql(
      `create table notification_preferences (user_id uuid not null, strategy text not null default 'all', muted_server_ids uuid[] not null, muted_channel_ids uuid[] not null, primary key (user_id))`,
    );
    this.addSql(
      `create table notifications (id uuid not null, user_id uuid not null, type text not null, kind text not null, title text not null, body text not null, reference_type text null, reference_id uuid null, sender_id uuid null, server_id uuid null, channel_id uuid null, scope text not null, aggregated_count int not null default 1, read_at timestamptz(3) null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index notifications_recent on notifications (user_id, updated_at, id)`);
    this.addSql(`create index notifications_unread on notifications (user_id, kind, scope) where read_at is null`);
    this.addSql(
      `alter table notification_preferences add constraint notification_preferences_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table notifications add constraint notifications_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table notifications add constraint notifications_sender_id_foreign foreign key (sender_id) references users (id) on delete set null`,
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

/** Where pushes go, what was pushed, and what pushes show (contract §7, Push). */
export class Push extends Migration {
  override up(): void {
    this.addSql(
      `create table push_subscriptions (session_id uuid not null, user_id uuid not null, endpoint text not null, p256dh text not null, auth text not null, server_key text not null, created_at timestamptz(3) not null, silent_pushes int not null default 0, primary key (session_id))`,
    );
    this.addSql('create index push_subscriptions_user_id_index on push_subscriptions (user_id)');
    this.addSql('alter table push_subscriptions add constraint push_subscriptions_endpoint_unique unique (endpoint)');
    this.addSql(
      'alter table push_subscriptions add constraint push_subscriptions_session_id_foreign foreign key (session_id) references sessions (id) on update cascade on delete cascade',
    );
    this.addSql(
      'alter table push_subscriptions add constraint push_subscriptions_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
    this.addSql(
      'create table pushed_notifications (session_id uuid not null, notification_id uuid not null, pushed_at timestamptz(3) not null, primary key (session_id, notification_id))',
    );
    this.addSql(
      'alter table pushed_notifications add constraint pushed_notifications_session_id_foreign foreign key (session_id) references push_subscriptions (session_id) on delete cascade',
    );
    this.addSql(
      'create table push_preferences (user_id uuid not null, preview boolean not null, primary key (user_id))',
    );
    this.addSql(
      'alter table push_preferences add constraint push_preferences_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade',
    );
    // Whatever ends a session, on nodes of any version, ends its pushes in the same transaction.
    this.addSql(`create function end_push_subscription() returns trigger language plpgsql set search_path from current as $$
      begin
        delete from push_subscriptions where session_id = new.id;
        return null;
      end $$`);
    this.addSql(`create trigger end_push_subscription after update of revoked_at on sessions
      for each row when (new.revoked_at is not null) execute function end_push_subscription()`);
  }
}

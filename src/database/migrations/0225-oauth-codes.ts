import { Migration } from '@mikro-orm/migrations';

/** What apps exchange for tokens: codes of browsers, and codes of devices (contract §3, OAuth apps). */
export class OAuthCodes extends Migration {
  override up(): void {
    this.addSql(
      `create table oauth_codes (code_hash text not null, app_id uuid not null, user_id uuid not null, scope text not null, redirect_uri text not null, challenge text not null, nonce text null, made_by uuid not null, expires_at timestamptz(3) not null, used_at timestamptz(3) null, token_id uuid null, primary key (code_hash))`,
    );
    this.addSql(
      `create table oauth_devices (device_hash text not null, user_code_hash text not null, app_id uuid not null, scope text not null, state text not null, user_id uuid null, made_by uuid null, pause int not null, polled_at timestamptz(3) null, expires_at timestamptz(3) not null, primary key (device_hash))`,
    );
    this.addSql('alter table oauth_devices add constraint oauth_devices_user_code_hash_unique unique (user_code_hash)');
    for (const table of ['oauth_codes', 'oauth_devices']) {
      this.addSql(`create index ${table}_app_id_index on ${table} (app_id)`);
      this.addSql(`create index ${table}_user_id_index on ${table} (user_id)`);
      this.addSql(`create index ${table}_expires on ${table} (expires_at)`);
      this.addSql(
        `alter table ${table} add constraint ${table}_app_id_foreign foreign key (app_id) references oauth_apps (id) on delete cascade`,
      );
      this.addSql(
        `alter table ${table} add constraint ${table}_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
      );
    }
  }
}

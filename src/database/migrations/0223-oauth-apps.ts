import { Migration } from '@mikro-orm/migrations';

/** Programs of others that people may allow to act for them (contract §3, OAuth apps). */
export class OAuthApps extends Migration {
  override up(): void {
    this.addSql(
      `create table oauth_apps (id uuid not null, owner_id uuid null, name text not null, website text null, redirect_uris text[] not null, secret_hash text null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, used_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql('create index oauth_apps_owner_id_index on oauth_apps (owner_id)');
    this.addSql(
      'create index oauth_apps_self_registered on oauth_apps (coalesce(used_at, created_at)) where owner_id is null',
    );
    this.addSql(
      'alter table oauth_apps add constraint oauth_apps_owner_id_foreign foreign key (owner_id) references users (id) on delete cascade',
    );
  }
}

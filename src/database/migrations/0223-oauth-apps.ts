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
    this.addSql('create index oauth_apps_unused on oauth_apps (created_at) where owner_id is null and used_at is null');
    this.addSql(
      'alter table oauth_apps add constraint oauth_apps_owner_id_foreign foreign key (owner_id) references users (id) on delete cascade',
    );
    this.watchLeaving();
  }

  /** Of people who are about to leave nodes know that nobody answers for their apps; the sockets of those are closed. */
  private watchLeaving(): void {
    this.addSql(`create trigger invalidate_leaving after update of deletes_at on users
      for each row when (old.deletes_at is distinct from new.deletes_at) execute function invalidate('users', 'id')`);
    this.addSql(`create trigger shut_leaving after update of deletes_at on users
      for each row when (old.deletes_at is null and new.deletes_at is not null)
      execute function invalidate('suspensions', 'id')`);
  }
}

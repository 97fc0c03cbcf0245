import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/**
 * Whether the address of an account was proven, and whether the operator has suspended it. Older nodes leave both as they
 * are: accounts that they create count as unproven until the next proof.
 */
export class AccountStanding extends Migration {
  override up(): void {
    this.addSql(
      'alter table users add column email_verified_at timestamptz(3) null, add column suspended_at timestamptz(3) null, add column suspension_reason text null',
    );
    this.addSql(
      `create table email_verifications (user_id uuid not null, token_hash text not null, code_hash text not null, tries int not null default 0, expires_at timestamptz(3) not null, primary key (user_id))`,
    );
    this.addSql(
      `alter table email_verifications add constraint email_verifications_token_hash_unique unique (token_hash)`,
    );
    this.addSql(
      `alter table email_verifications add constraint email_verifications_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade`,
    );
    this.markProven();
    this.watchSuspensions();
  }

  /**
   * An account with an address and no password comes from a mailed code or from a provider that had verified it, or was
   * imported and has no credentials yet. One whose first link was made in the account's own transaction also comes from
   * a provider, even if it got a password later; such a link is never younger than its account. Nothing else
   * proves an address: anyone can register with any address.
   */
  private markProven(): void {
    this.addSql(`update users u set email_verified_at = u.created_at
      where u.email is not null and not u.is_bot and u.deleted_at is null and (u.password_hash is null or exists (
        select from oauth_accounts o
        where o.user_id = u.id and lower(o.provider_email) = u.email and o.created_at <= u.created_at))`);
  }

  /** 'suspensions' is no cache: every node closes the sockets of these users (see node/connect.ts). */
  private watchSuspensions(): void {
    this.addSql(`create function invalidate_suspension() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys) values ('users', array[new.id::text]);
      insert into invalidations (cache, keys)
        select 'agents', array_agg(user_id::text) from agents where owner_id = new.id having count(*) > 0;
      if new.suspended_at is not null then
        insert into invalidations (cache, keys)
          select 'suspensions', array[new.id::text] || coalesce(array_agg(user_id::text), '{}')
          from agents where owner_id = new.id;
      end if;
      return null; end $$`);
    this.addSql(`create trigger invalidate_suspension after update of suspended_at, suspension_reason on users
      for each row when (old.suspended_at is distinct from new.suspended_at
        or old.suspension_reason is distinct from new.suspension_reason) execute function invalidate_suspension()`);
  }
}

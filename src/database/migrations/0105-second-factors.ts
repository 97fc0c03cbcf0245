import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/**
 * Authenticator apps, recovery codes and passkeys, and what a sign-in with them leaves for a moment. Older nodes let in with
 * the password alone whoever has one.
 */
export class SecondFactors extends Migration {
  override up(): void {
    this.addSql('alter table users add column second_factor_at timestamptz(3) null');
    this.addSql(
      `create table totp_factors (user_id uuid not null, secret text not null, created_at timestamptz(3) not null, confirmed_at timestamptz(3) null, last_step int null, primary key (user_id))`,
    );
    this.addSql(
      'create table recovery_codes (user_id uuid not null, code_hash text not null, primary key (user_id, code_hash))',
    );
    this.addSql(
      `create table passkeys (id uuid not null, user_id uuid not null, credential_id text not null, public_key text not null, counter bigint not null, transports text not null, name text not null, created_at timestamptz(3) not null, last_used_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql('create index passkeys_user_id_index on passkeys (user_id)');
    this.addSql('alter table passkeys add constraint passkeys_credential_id_unique unique (credential_id)');
    this.addSql(
      `create table passkey_challenges (challenge_hash text not null, purpose text not null, user_id uuid null, expires_at timestamptz(3) not null, primary key (challenge_hash))`,
    );
    this.addSql('create index passkey_challenges_user_id_index on passkey_challenges (user_id)');
    this.addSql('create index passkey_challenges_expires on passkey_challenges (expires_at)');
    this.addSql(
      `create table sign_in_tickets (token_hash text not null, user_id uuid not null, tries int not null default 0, expires_at timestamptz(3) not null, primary key (token_hash))`,
    );
    this.addSql('create index sign_in_tickets_user_id_index on sign_in_tickets (user_id)');
    this.addSql('create index sign_in_tickets_expires on sign_in_tickets (expires_at)');
    for (const table of ['recovery_codes', 'passkeys', 'passkey_challenges', 'sign_in_tickets']) {
      this.addSql(
        `alter table ${table} add constraint ${table}_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
      );
    }
    this.addSql(
      'alter table totp_factors add constraint totp_factors_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade',
    );
    this.addSql(`create function invalidate_second_factor() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys) values ('users', array[new.id::text]);
      insert into invalidations (cache, keys)
        select 'server-seats', array_agg(concat_ws(':', server_id, user_id))
        from server_members where user_id = new.id and role <> 'member' having count(*) > 0;
      return null; end $$`);
    this.addSql(`create trigger invalidate_second_factor after update of second_factor_at on users
      for each row when ((old.second_factor_at is null) <> (new.second_factor_at is null))
      execute function invalidate_second_factor()`);
  }
}

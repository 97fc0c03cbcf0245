import { Migration } from '@mikro-orm/migrations';

/** Refresh tokens that rotate, personal access tokens, mailed codes and links, identity providers. */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(
      `create table email_codes (email text not null, code_hash text not null, tries int not null default 0, expires_at timestamptz(3) not null, primary key (email))`,
    );
    this.addSql(
      `create table used_refresh_tokens (hash text not null, session_id uuid not null, used_at timestamptz(3) not null, successor text null, primary key (hash))`,
    );
    this.addSql(`create index used_refresh_tokens_session on used_refresh_tokens (session_id, used_at)`);
    this.addSql(
      `create table personal_tokens (id uuid not null, user_id uuid not null, name text not null, scope text not null, token_hash text not null, created_at timestamptz(3) not null, expires_at timestamptz(3) null, last_used_at timestamptz(3) null, revoked_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql(`create index personal_tokens_user_id_index on personal_tokens (user_id)`);
    this.addSql(`alter table personal_tokens add constraint personal_tokens_token_hash_unique unique (token_hash)`);
    this.addSql(`create index personal_tokens_revoked on personal_tokens (revoked_at) where revoked_at is not null`);
    this.addSql(
      `create table password_resets (token_hash text not null, user_id uuid not null, expires_at timestamptz(3) not null, primary key (token_hash))`,
    );
    this.addSql(`create index password_resets_user_id_index on password_resets (user_id)`);
    this.addSql(
      `create table oauth_states (state_hash text not null, cookie_hash text not null, provider text not null, redirect text not null, invite_code text null, link_to uuid null, expires_at timestamptz(3) not null, primary key (state_hash))`,
    );
    this.addSql(`create index oauth_states_expires on oauth_states (expires_at)`);
    this.addSql(
      `create table oauth_accounts (id uuid not null, user_id uuid not null, provider text not null, subject text not null, provider_email text null, created_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index oauth_accounts_user_id_index on oauth_accounts (user_id)`);
    this.addSql(`alter table oauth_accounts add constraint oauth_accounts_subject unique (provider, subject)`);
    this.addSql(`create index sessions_revoked on sessions (revoked_at) where revoked_at is not null`);
    this.addSql(`create index sessions_refresh_expires on sessions (refresh_expires_at)`);
    this.addSql(
      `alter table used_refresh_tokens add constraint used_refresh_tokens_session_id_foreign foreign key (session_id) references sessions (id) on delete cascade`,
    );
    this.addSql(
      `alter table personal_tokens add constraint personal_tokens_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table password_resets add constraint password_resets_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table oauth_states add constraint oauth_states_link_to_foreign foreign key (link_to) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table oauth_accounts add constraint oauth_accounts_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
  }
}

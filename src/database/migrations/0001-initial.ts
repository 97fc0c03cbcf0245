import { Migration } from '@mikro-orm/migrations';

/** The tables of accounts, servers, channels, messages and the log. */
export class Initial extends Migration {
  override up(): void {
    this.addSql(
      `create table idempotency_keys (user_id uuid not null, route text not null, key text not null, status int null, answer json null, created_at timestamptz(3) not null default now(), primary key (user_id, route, key))`,
    );
    this.addSql(`create index idempotency_keys_created on idempotency_keys using brin (created_at)`);
    this.addSql(
      `create table log_entries (stream_id uuid not null, seq bigint not null, event text not null, thread_id uuid null, data json not null, created_at timestamptz(3) not null default now(), primary key (stream_id, seq))`,
    );
    this.addSql(`create index log_entries_created on log_entries using brin (created_at)`);
    this.addSql(
      `create table streams (id uuid not null, kind text not null, last_seq bigint not null default '0', floor_seq bigint not null default '0', primary key (id))`,
    );
    this.addSql(
      `create table users (id uuid not null, username text not null, username_key text not null, email text null, display_name text not null, avatar_url text null, is_bot boolean not null default false, password_hash text null, tier text not null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, deleted_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql(`alter table users add constraint users_username_key_unique unique (username_key)`);
    this.addSql(`alter table users add constraint users_email_unique unique (email)`);
    this.addSql(
      `create table sessions (id uuid not null, user_id uuid not null, device_name text null, user_agent text null, ip_address text null, refresh_hash text not null, refresh_expires_at timestamptz(3) not null, created_at timestamptz(3) not null, last_seen_at timestamptz(3) not null, revoked_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql(`create index sessions_user_id_index on sessions (user_id)`);
    this.addSql(`alter table sessions add constraint sessions_refresh_hash_unique unique (refresh_hash)`);
    this.addSql(
      `create table servers (id uuid not null, name text not null, slug text null, description text null, icon_url text null, banner_url text null, homepage_html text null, is_public boolean not null default false, owner_id uuid not null, invite_code text not null, member_count int not null default 0, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`alter table servers add constraint servers_slug_unique unique (slug)`);
    this.addSql(`alter table servers add constraint servers_invite_code_unique unique (invite_code)`);
    this.addSql(
      `create table server_members (server_id uuid not null, user_id uuid not null, role text not null, nickname text null, joined_at timestamptz(3) not null, primary key (server_id, user_id))`,
    );
    this.addSql(`create index server_members_user_id_index on server_members (user_id)`);
    this.addSql(
      `create table invite_codes (id uuid not null, code text not null, note text not null default '', is_active boolean not null default true, is_reusable boolean not null default false, created_by uuid null, used_by uuid null, used_at timestamptz(3) null, created_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`alter table invite_codes add constraint invite_codes_code_unique unique (code)`);
    this.addSql(
      `create table channels (id uuid not null, server_id uuid null, kind text not null, name text not null, type text not null, description text null, position int not null default 0, is_private boolean not null default false, is_archived boolean not null default false, created_by uuid null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index channels_server_position on channels (server_id, position)`);
    this.addSql(
      `create table messages (id uuid not null, channel_id uuid not null, seq bigint not null, author_id uuid not null, content text not null, thread_id uuid null, reply_to_id uuid null, metadata json null, nonce text null, is_edited boolean not null default false, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, deleted_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql(
      `create index messages_roots on messages (channel_id, seq) where thread_id is null and deleted_at is null`,
    );
    this.addSql(`alter table messages add constraint messages_channel_seq unique (channel_id, seq)`);
    this.addSql(
      `create unique index messages_nonce on messages (channel_id, author_id, nonce) where nonce is not null`,
    );
    this.addSql(
      `create table channel_members (channel_id uuid not null, user_id uuid not null, joined_at timestamptz(3) not null, primary key (channel_id, user_id))`,
    );
    this.addSql(`create index channel_members_user_id_index on channel_members (user_id)`);
    this.addSql(
      `alter table sessions add constraint sessions_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table servers add constraint servers_owner_id_foreign foreign key (owner_id) references users (id)`,
    );
    this.addSql(
      `alter table server_members add constraint server_members_server_id_foreign foreign key (server_id) references servers (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table server_members add constraint server_members_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table invite_codes add constraint invite_codes_created_by_foreign foreign key (created_by) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table invite_codes add constraint invite_codes_used_by_foreign foreign key (used_by) references users (id) on delete set null`,
    );
    this.addSql(
      `alter table channels add constraint channels_server_id_foreign foreign key (server_id) references servers (id) on delete cascade`,
    );
    this.addSql(
      `alter table channels add constraint channels_created_by_foreign foreign key (created_by) references users (id) on delete set null`,
    );
    this.addSql(
      `alter table messages add constraint messages_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade`,
    );
    this.addSql(
      `alter table messages add constraint messages_author_id_foreign foreign key (author_id) references users (id)`,
    );
    this.addSql(
      `alter table channel_members add constraint channel_members_channel_id_foreign foreign key (channel_id) references channels (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table channel_members add constraint channel_members_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade`,
    );
    // Every append updates a head: free space on the page keeps those updates cheap (no index is touched).
    this.addSql(`alter table streams set (fillfactor = 50)`);
  }
}

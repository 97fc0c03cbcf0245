import { Migration } from '@mikro-orm/migrations';

/** Threads, reactions, read states, join requests and search. */
export class Communities extends Migration {
  override up(): void {
    this.addSql(
      `create table threads (id uuid not null, channel_id uuid not null, parent_message_id uuid null, name text not null, creator_id uuid not null, is_archived boolean not null default false, message_count int not null default 0, last_message_at timestamptz(3) null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, deleted_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql(`alter table threads add constraint threads_parent_message_id_unique unique (parent_message_id)`);
    this.addSql(`create index threads_channel on threads (channel_id, id)`);
    this.addSql(`create index threads_to_purge on threads (id) where deleted_at is not null and message_count > 0`);
    this.addSql(
      `create table reactions (message_id uuid not null, emoji text not null, user_id uuid not null, place int not null, primary key (message_id, emoji, user_id))`,
    );
    this.addSql(`create index reactions_in_order on reactions (message_id, place)`);
    this.addSql(
      `create table join_requests (id uuid not null, server_id uuid not null, channel_id uuid null, user_id uuid not null, status text not null, decided_by uuid null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index join_requests_server_id_index on join_requests (server_id)`);
    this.addSql(`create index join_requests_channel_id_index on join_requests (channel_id)`);
    this.addSql(`create index join_requests_pending on join_requests (server_id, id) where status = 'pending'`);
    this.addSql(
      `create unique index join_requests_server on join_requests (server_id, user_id) where channel_id is null`,
    );
    this.addSql(
      `create unique index join_requests_channel on join_requests (channel_id, user_id) where channel_id is not null`,
    );
    this.addSql(
      `create table channel_reads (channel_id uuid not null, user_id uuid not null, last_read_seq bigint not null default '0', primary key (channel_id, user_id))`,
    );
    this.addSql(`create index channel_reads_user_id_index on channel_reads (user_id)`);
    this.addSql(
      `create index log_entries_retold on log_entries (stream_id, (data ->> 'id')) where event in ('message:updated', 'message:pinned', 'message:unpinned')`,
    );
    this.addSql(`create index users_username_prefix on users (username_key text_pattern_ops)`);
    this.addSql(`create index servers_discover on servers (member_count desc, id) where is_public`);
    this.addSql(`alter table channels add deleted_at timestamptz(3) null`);
    this.addSql(`create index channels_deleted on channels (deleted_at) where deleted_at is not null`);
    this.addSql(`drop index messages_roots`);
    this.addSql(
      `alter table messages add mentions json null, add pinned_at timestamptz(3) null, add search tsvector generated always as (to_tsvector('simple'::regconfig, content) || array_to_tsvector(array[(channel_id)::text])) stored null`,
    );
    this.addSql(
      `alter table messages add constraint messages_thread_id_foreign foreign key (thread_id) references threads (id) on delete set null`,
    );
    this.addSql(`create index messages_of_thread on messages (thread_id, seq) where thread_id is not null`);
    this.addSql(`create index messages_replies on messages (reply_to_id) where reply_to_id is not null`);
    this.addSql(`create index messages_pinned on messages (channel_id, pinned_at) where pinned_at is not null`);
    this.addSql(`create index messages_search on messages using gin (search)`);
    this.addSql(
      `create index messages_roots on messages (channel_id, seq) include (author_id) where thread_id is null and deleted_at is null`,
    );
    this.addSql(`alter table channel_members add excluded boolean not null default false`);
    this.addSql(
      `alter table threads add constraint threads_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade`,
    );
    this.addSql(
      `alter table threads add constraint threads_creator_id_foreign foreign key (creator_id) references users (id)`,
    );
    this.addSql(
      `alter table reactions add constraint reactions_message_id_foreign foreign key (message_id) references messages (id) on delete cascade`,
    );
    this.addSql(
      `alter table reactions add constraint reactions_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table join_requests add constraint join_requests_server_id_foreign foreign key (server_id) references servers (id) on delete cascade`,
    );
    this.addSql(
      `alter table join_requests add constraint join_requests_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade`,
    );
    this.addSql(
      `alter table join_requests add constraint join_requests_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table join_requests add constraint join_requests_decided_by_foreign foreign key (decided_by) references users (id) on delete set null`,
    );
    this.addSql(
      `alter table channel_reads add constraint channel_reads_channel_id_foreign foreign key (channel_id) references channels (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table channel_reads add constraint channel_reads_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade`,
    );
  }
}

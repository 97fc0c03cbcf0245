import { Migration } from '@mikro-orm/migrations';

/** Bots, their tokens and their policies. */
export class Agents extends Migration {
  override up(): void {
    this.addSql(
      `create table agents (id uuid not null, user_id uuid not null, owner_id uuid not null, status text not null, config json not null, last_heartbeat timestamptz(3) null, last_seen_at timestamptz(3) null, online_seconds double precision not null default 0, slash_commands json null, usage_snapshot json null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`alter table agents add constraint agents_user_id_unique unique (user_id)`);
    this.addSql(`create index agents_owner_id_index on agents (owner_id)`);
    this.addSql(
      `create table agent_tokens (id uuid not null, agent_id uuid not null, created_at timestamptz(3) not null, ends_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index agent_tokens_agent_id_index on agent_tokens (agent_id)`);
    this.addSql(
      `create table agent_policies (id uuid not null, agent_id uuid not null, server_id uuid null, channel_id uuid null, mode text not null, mention_only boolean not null, reply boolean not null, listen boolean not null, config json not null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index agent_policies_agent_id_index on agent_policies (agent_id)`);
    this.addSql(`create index agent_policies_server_id_index on agent_policies (server_id)`);
    this.addSql(`create index agent_policies_channel_id_index on agent_policies (channel_id)`);
    this.addSql(
      `create unique index agent_policies_channel on agent_policies (agent_id, channel_id) where channel_id is not null`,
    );
    this.addSql(
      `create unique index agent_policies_server on agent_policies (agent_id, server_id) where channel_id is null`,
    );
    this.addSql(
      `alter table agents add constraint agents_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table agents add constraint agents_owner_id_foreign foreign key (owner_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table agent_tokens add constraint agent_tokens_agent_id_foreign foreign key (agent_id) references agents (id) on delete cascade`,
    );
    this.addSql(
      `alter table agent_policies add constraint agent_policies_agent_id_foreign foreign key (agent_id) references agents (id) on delete cascade`,
    );
    this.addSql(
      `alter table agent_policies add constraint agent_policies_server_id_foreign foreign key (server_id) references servers (id) on delete cascade`,
    );
    this.addSql(
      `alter table agent_policies add constraint agent_policies_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade`,
    );
  }
}

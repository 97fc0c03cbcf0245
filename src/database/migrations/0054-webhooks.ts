import { Migration } from '@mikro-orm/migrations';

/** Webhooks of bots, and how far each room was delivered to them. */
export class Webhooks extends Migration {
  override up(): void {
    this.addSql(
      `create table webhooks (agent_id uuid not null, url text not null, secret text not null, previous_secret text null, previous_until timestamptz(3) null, state text not null default 'active', stopped_at timestamptz(3) null, created_at timestamptz(3) not null default now(), updated_at timestamptz(3) not null default now(), primary key (agent_id))`,
    );
    this.addSql(
      `create table webhook_cursors (agent_id uuid not null, stream_id uuid not null, kind text not null, entered_at timestamptz(3) not null, seq bigint not null, attempts int not null default 0, failing_since timestamptz(3) null, failed_at timestamptz(3) null, error text null, delivered_at timestamptz(3) null, due_at timestamptz(3) not null default now(), lease uuid null, leased_until timestamptz(3) null, primary key (agent_id, stream_id))`,
    );
    this.addSql(
      `alter table webhooks add constraint webhooks_agent_id_foreign foreign key (agent_id) references agents (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table webhook_cursors add constraint webhook_cursors_agent_id_foreign foreign key (agent_id) references webhooks (agent_id) on delete cascade`,
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

/** How far bots have polled, and where their owners send them back to (contract §4). */
export class AgentFeeds extends Migration {
  override up(): void {
    this.addSql(
      'create table agent_feeds (agent_id uuid not null, stream_id uuid not null, seq bigint not null, polled_at timestamptz(3) not null default now(), replay_after bigint null, told int not null default 0, primary key (agent_id, stream_id))',
    );
    this.addSql(
      'alter table agent_feeds add constraint agent_feeds_agent_id_foreign foreign key (agent_id) references agents (id) on delete cascade',
    );
  }
}

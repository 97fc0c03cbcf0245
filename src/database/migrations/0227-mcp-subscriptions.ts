import { Migration } from '@mikro-orm/migrations';

/** What sessions of the Model Context Protocol are subscribed to (contract §8). */
export class McpSubscriptions extends Migration {
  override up(): void {
    this.addSql(
      'create table mcp_subscriptions (session_id uuid not null, channel_id uuid not null, user_id uuid not null, seq bigint not null, seen_at timestamptz(3) not null, primary key (session_id, channel_id))',
    );
    this.addSql('create index mcp_subscriptions_channel_id_index on mcp_subscriptions (channel_id)');
    this.addSql('create index mcp_subscriptions_user_id_index on mcp_subscriptions (user_id)');
    this.addSql('create index mcp_subscriptions_seen on mcp_subscriptions (seen_at)');
    this.addSql(
      'alter table mcp_subscriptions add constraint mcp_subscriptions_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
    this.addSql(
      'alter table mcp_subscriptions add constraint mcp_subscriptions_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
  }
}

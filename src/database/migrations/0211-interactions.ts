import { Migration } from '@mikro-orm/migrations';

/** Uses of bots' components and commands, and what bots replied, also to one person alone (contract §6, Interactions). */
export class Interactions extends Migration {
  override up(): void {
    this.addSql('alter table messages add column answers_use boolean not null default false');
    this.addSql(
      `create table interactions (id uuid not null, kind text not null, agent_id uuid not null, user_id uuid not null, server_id uuid null, channel_id uuid not null, thread_id uuid null, message_id uuid null, component_id text null, command json null, parent_id uuid null, given json not null, nonce text null, state text not null default 'waiting', note text null, form json null, changes int not null default 0, answers text[] not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null, ends_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql('create index interactions_agent_id_index on interactions (agent_id)');
    this.addSql('create index interactions_channel_id_index on interactions (channel_id)');
    this.addSql('create index interactions_of_user on interactions (user_id, created_at)');
    this.addSql('create index interactions_created_at_index on interactions (created_at)');
    this.addSql('create index interactions_nonce on interactions (user_id, nonce) where nonce is not null');
    this.addSql('create unique index interactions_parent on interactions (parent_id) where parent_id is not null');
    this.addSql(
      'create table ephemerals (id uuid not null, interaction_id uuid not null, key text not null, agent_id uuid not null, user_id uuid not null, channel_id uuid not null, thread_id uuid null, reply_to_id uuid null, content text not null, created_at timestamptz(3) not null, ends_at timestamptz(3) not null, dismissed_at timestamptz(3) null, primary key (id))',
    );
    this.addSql('alter table ephemerals add constraint ephemerals_once unique (interaction_id, key)');
    this.addSql('create index ephemerals_agent_id_index on ephemerals (agent_id)');
    this.addSql('create index ephemerals_channel_id_index on ephemerals (channel_id)');
    this.addSql('create index ephemerals_of_user on ephemerals (user_id, id)');
    this.addSql('create index ephemerals_ends_at_index on ephemerals (ends_at)');
    this.addSql(
      'alter table ephemerals add constraint ephemerals_interaction_id_foreign foreign key (interaction_id) references interactions (id) on delete cascade',
    );
    for (const table of ['interactions', 'ephemerals']) {
      for (const [column, referred] of [
        ['agent_id', 'agents'],
        ['user_id', 'users'],
        ['channel_id', 'channels'],
      ]) {
        this.addSql(
          `alter table ${table} add constraint ${table}_${column}_foreign foreign key (${column}) references ${referred} (id) on delete cascade`,
        );
      }
    }
  }
}

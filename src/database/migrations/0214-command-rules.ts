import { Migration } from '@mikro-orm/migrations';

/** Who may use the commands of bots in a server (contract §4, Commands). */
export class CommandRules extends Migration {
  override up(): void {
    // Others wait behind a lock that is waited for, say until a dump is over: of this and all that follow in the transaction.
    this.addSql(`set local lock_timeout = '100ms'`);
    this.addSql(
      'create table command_rules (id uuid not null, server_id uuid not null, agent_id uuid not null, command text not null, moderators boolean not null, primary key (id))',
    );
    this.addSql('alter table command_rules add constraint command_rules_command unique (server_id, agent_id, command)');
    this.addSql('create index command_rules_agent_id_index on command_rules (agent_id)');
    this.addSql(
      'create table command_rule_holders (id uuid not null, rule_id uuid not null, role_id uuid null, user_id uuid null, primary key (id))',
    );
    this.addSql(
      'create unique index command_rule_holders_subject on command_rule_holders (rule_id, coalesce(role_id, user_id))',
    );
    this.addSql('create index command_rule_holders_role_id_index on command_rule_holders (role_id)');
    this.addSql('create index command_rule_holders_user_id_index on command_rule_holders (user_id)');
    for (const [table, column, target] of [
      ['command_rules', 'server_id', 'servers'],
      ['command_rules', 'agent_id', 'agents'],
      ['command_rule_holders', 'rule_id', 'command_rules'],
      ['command_rule_holders', 'role_id', 'server_roles'],
      ['command_rule_holders', 'user_id', 'users'],
    ]) {
      this.addSql(
        `alter table ${table} add constraint ${table}_${column}_foreign foreign key (${column}) references ${target} (id) on delete cascade`,
      );
    }
  }
}

import { Migration } from '@mikro-orm/migrations';

/** Uploads that were given to bots with commands (contract §4, Commands). */
export class CommandFiles extends Migration {
  override up(): void {
    this.addSql(`set local lock_timeout = '100ms'`);
    this.addSql(
      'create table command_files (attachment_id uuid not null, agent_id uuid not null, given_at timestamptz(3) not null default now(), primary key (attachment_id, agent_id))',
    );
    this.addSql('create index command_files_expiring on command_files (given_at)');
    this.addSql('create index command_files_agent_id_index on command_files (agent_id)');
    this.addSql(
      'alter table command_files add constraint command_files_attachment_id_foreign foreign key (attachment_id) references attachments (id) on update cascade on delete cascade',
    );
    this.addSql(
      'alter table command_files add constraint command_files_agent_id_foreign foreign key (agent_id) references agents (id) on update cascade on delete cascade',
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

/** How long messages are kept, and what edited ones said before (contract §6). Older nodes do neither. */
export class Retention extends Migration {
  override up(): void {
    this.addSql(
      'alter table servers add column keep_messages_days int null, add column keep_edit_history boolean not null default false',
    );
    this.addSql('create index servers_expiring on servers (id) where keep_messages_days is not null');
    this.addSql(
      `alter table channels add column keep_messages_days int null, add column expired_seq bigint not null default '0'`,
    );
    this.addSql('create index channels_expiring on channels (id) where keep_messages_days > 0');
    this.addSql(
      'create table message_versions (channel_id uuid not null, message_id uuid not null, version int not null, content text not null, edited_at timestamptz(3) not null, primary key (channel_id, message_id, version))',
    );
    this.addSql(
      'alter table message_versions add constraint message_versions_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/**
 * What people can use of bots' messages (contract §6, Components), and who used what can be used once. Whatever deletes a
 * message, on nodes of any version, deletes both with it. Older nodes show none.
 */
export class ComponentsOfMessages extends Migration {
  override up(): void {
    this.addSql('alter table messages add column components json null');
    this.addSql('alter table held_messages add column components json null');
    this.addSql(
      'create table component_uses (id uuid not null, message_id uuid not null, component_id text not null, user_id uuid null, channel_id uuid not null, used_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql(
      'alter table component_uses add constraint component_uses_once unique (message_id, component_id, user_id)',
    );
    this.addSql('create index component_uses_channel_id_index on component_uses (channel_id)');
    this.addSql('create index component_uses_user_id_index on component_uses (user_id)');
    this.addSql(
      'alter table component_uses add constraint component_uses_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
    this.addSql(
      'alter table component_uses add constraint component_uses_user_id_foreign foreign key (user_id) references users (id) on delete set null',
    );
    this.addSql(`create function end_components() returns trigger language plpgsql ${here} as $$ begin
      delete from component_uses where message_id = old.id;
      if tg_op = 'DELETE' then return old; end if;
      new.components := null;
      return new; end $$`);
    this.addSql(`create trigger end_components_updated before update of deleted_at on messages
      for each row when (new.deleted_at is not null and old.components is not null) execute function end_components()`);
    this.addSql(`create trigger end_components_deleted before delete on messages
      for each row when (old.components is not null) execute function end_components()`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** An operator's SQL or a restore may run with another search path. */
const here = 'set search_path from current';

/** Groups of people: channels of kind `group`, which older nodes read as channels of no server. */
export class Groups extends Migration {
  override up(): void {
    this.addSql('create table group_channels (channel_id uuid not null, people text null, primary key (channel_id))');
    this.addSql('alter table group_channels add constraint group_channels_people unique (people)');
    this.addSql(
      'create table group_members (channel_id uuid not null, user_id uuid not null, last_active_at timestamptz(3) not null, primary key (channel_id, user_id))',
    );
    this.addSql('create index group_members_recent on group_members (user_id, last_active_at)');
    this.addSql(
      'alter table group_channels add constraint group_channels_channel_id_foreign foreign key (channel_id) references channels (id) on update cascade on delete cascade',
    );
    this.addSql(
      'alter table group_members add constraint group_members_channel_id_foreign foreign key (channel_id) references channels (id) on update cascade on delete cascade',
    );
    this.addSql(
      'alter table group_members add constraint group_members_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade',
    );
    this.addSql(`create or replace function note_direct_log() returns trigger language plpgsql ${here} as $$ begin
      new.is_direct := exists (select from dm_channels where channel_id = new.id)
        or exists (select from group_channels where channel_id = new.id);
      return new; end $$`);
  }
}

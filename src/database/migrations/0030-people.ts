import { Migration } from '@mikro-orm/migrations';

/** Friends, blocks and DM channels. */
export class People extends Migration {
  override up(): void {
    this.addSql(
      `create table friendships (id uuid not null, low_id uuid not null, high_id uuid not null, requester_id uuid not null, status text not null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index friendships_high_id_index on friendships (high_id)`);
    this.addSql(`alter table friendships add constraint friendships_pair unique (low_id, high_id)`);
    this.addSql(
      `create table dm_channels (channel_id uuid not null, low_id uuid not null, high_id uuid not null, last_active_at timestamptz(3) not null, primary key (channel_id))`,
    );
    this.addSql(`create index dm_channels_low_recent on dm_channels (low_id, last_active_at)`);
    this.addSql(`create index dm_channels_high_recent on dm_channels (high_id, last_active_at)`);
    this.addSql(`alter table dm_channels add constraint dm_channels_pair unique (low_id, high_id)`);
    this.addSql(
      `create table blocks (user_id uuid not null, blocked_id uuid not null, created_at timestamptz(3) not null, primary key (user_id, blocked_id))`,
    );
    this.addSql(`create index blocks_blocked_id_index on blocks (blocked_id)`);
    this.addSql(
      `alter table friendships add constraint friendships_low_id_foreign foreign key (low_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table friendships add constraint friendships_high_id_foreign foreign key (high_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table friendships add constraint friendships_requester_id_foreign foreign key (requester_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table dm_channels add constraint dm_channels_channel_id_foreign foreign key (channel_id) references channels (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table dm_channels add constraint dm_channels_low_id_foreign foreign key (low_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table dm_channels add constraint dm_channels_high_id_foreign foreign key (high_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table blocks add constraint blocks_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table blocks add constraint blocks_blocked_id_foreign foreign key (blocked_id) references users (id) on update cascade on delete cascade`,
    );
  }
}

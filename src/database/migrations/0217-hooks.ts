import { Migration } from '@mikro-orm/migrations';

/** Incoming webhooks (contract §6). */
export class Hooks extends Migration {
  override up(): void {
    this.addSql(
      `create table hooks (id uuid not null, channel_id uuid not null, user_id uuid not null, format text not null default 'auto', token_hash text not null, secret text null, created_by uuid null, created_at timestamptz(3) not null, last_used_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql(
      'alter table hooks add constraint hooks_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
    this.addSql(
      'alter table hooks add constraint hooks_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
    this.addSql(
      'alter table hooks add constraint hooks_created_by_foreign foreign key (created_by) references users (id) on delete set null',
    );
    this.addSql('alter table hooks add constraint hooks_user unique (user_id)');
    this.addSql('alter table hooks add constraint hooks_token_hash_unique unique (token_hash)');
    this.addSql('create index hooks_channel_id_index on hooks (channel_id)');
    this.addSql('create index hooks_created_by_index on hooks (created_by)');
    // What a sender says may name nobody, also when a moderator publishes it.
    this.addSql('alter table held_messages add column names_nobody boolean not null default false');
  }
}

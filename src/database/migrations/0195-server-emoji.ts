import { Migration } from '@mikro-orm/migrations';

/** Emoji of servers' own, and what reactions with them are bound to (contract §6). */
export class ServerEmojiTable extends Migration {
  override up(): void {
    this.addSql(
      'create table server_emoji (id uuid not null, server_id uuid not null, name text not null, url text not null, is_animated boolean not null, created_by uuid null, created_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql(
      'alter table server_emoji add constraint server_emoji_server_id_foreign foreign key (server_id) references servers (id) on delete cascade',
    );
    this.addSql(
      'alter table server_emoji add constraint server_emoji_created_by_foreign foreign key (created_by) references users (id) on delete set null',
    );
    this.addSql('alter table server_emoji add constraint server_emoji_name unique (server_id, name)');
    this.addSql('create index server_emoji_picture on server_emoji (url)');
    this.addSql('create index server_emoji_created_by_index on server_emoji (created_by)');
    this.addSql('alter table reactions add column emoji_id uuid null');
    this.addSql('alter table servers add column emoji_version int not null default 0');
  }
}

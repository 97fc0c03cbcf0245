import { Migration } from '@mikro-orm/migrations';

/** Channels and direct messages that people keep at the top of their lists (contract §5). */
export class Favorites extends Migration {
  override up(): void {
    this.addSql(
      'create table channel_favorites (channel_id uuid not null, user_id uuid not null, position int not null, primary key (channel_id, user_id))',
    );
    this.addSql('create index channel_favorites_user_id_index on channel_favorites (user_id)');
    for (const [column, table] of [
      ['channel_id', 'channels'],
      ['user_id', 'users'],
    ]) {
      this.addSql(
        `alter table channel_favorites add constraint channel_favorites_${column}_foreign foreign key (${column}) references ${table} (id) on update cascade on delete cascade`,
      );
    }
  }
}

import { Migration } from '@mikro-orm/migrations';

/** Who the people of an export are here, and how far its channels are written (docs/moving.md). */
export class Imported extends Migration {
  override up(): void {
    this.addSql(
      'create table import_people (import_id uuid not null, key text not null, user_id uuid not null, is_placeholder boolean not null, candidate_id uuid null, primary key (import_id, key))',
    );
    this.addSql('create index import_people_user_id_index on import_people (user_id)');
    this.addSql(
      "create table import_channels (import_id uuid not null, key text not null, channel_id uuid not null, name text not null, state text not null default 'writing', last_at bigint not null default '-1', last_place bigint not null default '-1', last_seq bigint not null default '0', primary key (import_id, key))",
    );
    for (const [table, column, target] of [
      ['import_people', 'import_id', 'imports'],
      ['import_people', 'user_id', 'users'],
      ['import_channels', 'import_id', 'imports'],
    ]) {
      this.addSql(
        `alter table ${table} add constraint ${table}_${column}_foreign foreign key (${column}) references ${target} (id) on delete cascade`,
      );
    }
  }
}

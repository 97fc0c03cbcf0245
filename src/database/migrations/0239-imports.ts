import { Migration } from '@mikro-orm/migrations';

/** Exports of other products that are taken over (docs/moving.md). */
export class Imports extends Migration {
  override up(): void {
    this.addSql(
      'create table imports (id uuid not null, product text not null, fingerprint text not null, server_id uuid null, choices json not null, report json not null, created_at timestamptz(3) not null default now(), finished_at timestamptz(3) null, primary key (id))',
    );
    this.addSql('create index imports_fingerprint on imports (fingerprint)');
    this.addSql('create unique index imports_unfinished on imports (product, fingerprint) where finished_at is null');
    this.addSql('create index imports_server_id_index on imports (server_id)');
    this.addSql(
      'alter table imports add constraint imports_server_id_foreign foreign key (server_id) references servers (id) on delete cascade',
    );
    this.addSql(
      "create table import_records (import_id uuid not null, kind text not null, key text not null, channel text null, at bigint not null default '0', place bigint not null default '0', data json not null, primary key (import_id, kind, key))",
    );
    this.addSql(
      "create index import_records_in_order on import_records (import_id, channel, at, place) where kind = 'message'",
    );
    this.addSql(
      "create index import_records_of_channel on import_records (import_id, channel, kind, key) where kind in ('thread', 'membership')",
    );
    this.addSql(
      'alter table import_records add constraint import_records_import_id_foreign foreign key (import_id) references imports (id) on delete cascade',
    );
  }
}

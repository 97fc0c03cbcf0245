import { Migration } from '@mikro-orm/migrations';

/** Uploaded pictures, and indexes of the addresses that show them. */
export class Pictures extends Migration {
  override up(): void {
    this.addSql(
      `create table pictures (name text not null, size text not null, uploader_id uuid null, blob_id uuid not null, bytes int not null, width int not null, height int not null, is_animated boolean not null, created_at timestamptz(3) not null, unused_since timestamptz(3) null, check_at timestamptz(3) not null, primary key (name, size))`,
    );
    this.addSql('create index pictures_check on pictures (check_at)');
    this.addSql('create index pictures_uploader on pictures (uploader_id)');
    this.addSql('create index pictures_blob_id_index on pictures (blob_id)');
    this.addSql(
      'alter table pictures add constraint pictures_uploader_id_foreign foreign key (uploader_id) references users (id) on delete set null',
    );
    this.addSql(
      'alter table pictures add constraint pictures_blob_id_foreign foreign key (blob_id) references blobs (id)',
    );
    for (const [table, column] of shown) {
      const name = `${table}_${column.replace('_url', '')}_picture`;
      this.addSql(`create index ${name} on ${table} (${column}) where ${column} like '/media/%'`);
    }
  }
}

const shown = [
  ['users', 'avatar_url'],
  ['servers', 'icon_url'],
  ['servers', 'banner_url'],
  ['apps', 'icon_url'],
] as const;

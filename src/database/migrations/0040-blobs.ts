import { Migration } from '@mikro-orm/migrations';

/** Contents of files, each kept once. */
export class Blobs extends Migration {
  override up(): void {
    this.addSql(
      `create table blobs (id uuid not null, hash text null, size bigint not null default '0', chunk_size int not null, unused_since timestamptz(3) null, primary key (id))`,
    );
    this.addSql(`alter table blobs add constraint blobs_hash_unique unique (hash)`);
    this.addSql(
      `create table blob_chunks (blob_id uuid not null, position int not null, data bytea not null, primary key (blob_id, position))`,
    );
    this.addSql(
      `alter table blob_chunks add constraint blob_chunks_blob_id_foreign foreign key (blob_id) references blobs (id) on delete cascade`,
    );
    // Most uploads are compressed already: compressing them again only costs time.
    this.addSql(`alter table blob_chunks alter column data set storage external`);
  }
}

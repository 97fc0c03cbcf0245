import { Migration } from '@mikro-orm/migrations';

/**
 * Files in a bucket (contract §8): which object holds a content, and the objects that none refers to. Older nodes leave the
 * new column empty, and can read nothing that is in a bucket.
 */
export class BlobObjects extends Migration {
  override up(): void {
    this.addSql('alter table blobs add column object_id uuid null');
    this.addSql('alter table blobs add constraint blobs_object_id_unique unique (object_id)');
    this.addSql(
      'create table loose_objects (id uuid not null, upload_id text null, since timestamptz(3) not null default now(), removing boolean not null default false, primary key (id))',
    );
    // Whatever deletes a blob, its object is remembered until it is deleted too.
    this.addSql(`create function let_object_go() returns trigger language plpgsql as $$
      begin
        insert into loose_objects (id) values (old.object_id) on conflict do nothing;
        return null;
      end $$`);
    this.addSql(
      `create trigger let_object_go after delete on blobs for each row when (old.object_id is not null)
      execute function let_object_go()`,
    );
  }
}

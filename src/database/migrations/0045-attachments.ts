import { Migration } from '@mikro-orm/migrations';

/** Files attached to messages; their bytes are blobs. */
export class Attachments extends Migration {
  override up(): void {
    this.addSql(
      `create table attachments (id uuid not null, uploader_id uuid not null, message_id uuid null, place int not null default 0, blob_id uuid not null, filename text not null, content_type text not null, size bigint not null, width int null, height int null, created_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index attachments_message_id_index on attachments (message_id)`);
    this.addSql(`create index attachments_blob_id_index on attachments (blob_id)`);
    this.addSql(`create index attachments_unsent on attachments (uploader_id, created_at) where message_id is null`);
    this.addSql(`create index attachments_expiring on attachments (created_at) where message_id is null`);
    this.addSql(
      `alter table attachments add constraint attachments_uploader_id_foreign foreign key (uploader_id) references users (id)`,
    );
    this.addSql(
      `alter table attachments add constraint attachments_message_id_foreign foreign key (message_id) references messages (id) on delete set null`,
    );
    this.addSql(
      `alter table attachments add constraint attachments_blob_id_foreign foreign key (blob_id) references blobs (id)`,
    );
  }
}

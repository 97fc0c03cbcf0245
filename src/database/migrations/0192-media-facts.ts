import { Migration } from '@mikro-orm/migrations';

/** What players and pictures need before their file is there (contract §6). Older nodes leave it out. */
export class MediaFacts extends Migration {
  override up(): void {
    this.addSql(
      'alter table attachments add column duration_ms int null, add column is_voice boolean not null default false, add column waveform text null, add column thumbnail_blob_id uuid null constraint attachments_thumbnail_blob_id_foreign references blobs (id)',
    );
  }
}

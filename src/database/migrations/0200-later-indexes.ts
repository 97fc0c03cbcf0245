import { Migration } from '@mikro-orm/migrations';

/**
 * Indexes on tables that may be large, apart from the changes of these tables: while an index is built, nobody writes to its
 * table, but everybody reads. By `attachments_thumbnail` the collector finds what is in use.
 */
export class LaterIndexes extends Migration {
  override up(): void {
    this.addSql(`set local lock_timeout = '100ms'`);
    this.addSql('lock table users, threads, attachments in share row exclusive mode');
    this.addSql(
      `create index users_display_words on users using gin (to_tsvector('simple'::regconfig, regexp_replace(display_name, '[^[:alnum:]]+', ' ', 'g')))`,
    );
    this.addSql('create index threads_replied on threads (channel_id, last_seq)');
    this.addSql('create index attachments_scheduled on attachments (scheduled_id) where scheduled_id is not null');
    this.addSql(
      'create index attachments_thumbnail on attachments (thumbnail_blob_id) where thumbnail_blob_id is not null',
    );
  }
}

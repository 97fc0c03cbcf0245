import { Migration } from '@mikro-orm/migrations';

/**
 * Log entries that repeat a message's old text are marked once, and get the current text when they are read: a message
 * that is edited many times costs one rewrite for each of its entries. The index excludes marked ones.
 */
export class OutdatedEntries extends Migration {
  override up(): void {
    this.addSql('alter table log_entries add column is_outdated boolean not null default false');
    this.addSql('drop index log_entries_retold');
    this.addSql(
      `create index log_entries_retold on log_entries (stream_id, (data ->> 'id')) where event in ('message:updated', 'message:pinned', 'message:unpinned', 'thread:created', 'thread:updated') and not is_outdated`,
    );
    // Messages and threads that were changed before: the text of their entries is replaced on reading.
    this.addSql(
      `update log_entries l set is_outdated = true from messages m left join messages r on r.id = m.reply_to_id
       where l.stream_id = m.channel_id and l.seq = m.seq and l.event = 'message:new' and (m.is_edited or r.is_edited)`,
    );
    this.addSql(
      `update log_entries set is_outdated = true where event in ('message:updated', 'message:pinned', 'message:unpinned', 'thread:created', 'thread:updated')`,
    );
  }
}

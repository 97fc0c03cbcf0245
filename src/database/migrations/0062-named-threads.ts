import { Migration } from '@mikro-orm/migrations';

/** Default names follow the message's text, and are deleted with it; the log is searched for them too. */
export class NamedThreads extends Migration {
  override up(): void {
    this.addSql(`alter table threads add column is_named boolean not null default true`);
    this.addSql(
      `update threads set is_named = false from messages m where m.id = threads.parent_message_id
       and threads.name = btrim(left(btrim(regexp_replace(m.content, '[\\s[:cntrl:]]+', ' ', 'g')), 100))`,
    );
    this.addSql('drop index log_entries_retold');
    this.addSql(
      `create index log_entries_retold on log_entries (stream_id, (data ->> 'id')) where event in ('message:updated', 'message:pinned', 'message:unpinned', 'thread:created', 'thread:updated')`,
    );
  }
}

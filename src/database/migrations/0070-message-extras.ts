import { Migration } from '@mikro-orm/migrations';

/**
 * A message's row shows whether it may have reactions, files or a thread: most have none, and need no further lookups.
 * PostgreSQL keeps it true for every writer: an older node during a rolling update, or an operator.
 */
export class MessageExtras extends Migration {
  override up(): void {
    // For existing messages, extra lookups cost less than rewriting the table.
    this.addSql('alter table messages add column has_extras boolean not null default true');
    this.addSql('alter table messages alter column has_extras set default false');
    // Its argument: the column with the id of the message. Writers hold the head of its channel's log.
    this.addSql(`create function mark_extras() returns trigger language plpgsql set search_path from current as $$ begin
      update messages set has_extras = true where id = (to_jsonb(new) ->> tg_argv[0])::uuid and not has_extras;
      return null; end $$`);
    for (const [table, event, column] of [
      ['reactions', 'insert', 'message_id'],
      ['attachments', 'insert or update of message_id', 'message_id'],
      ['threads', 'insert', 'parent_message_id'],
    ]) {
      this.addSql(`create trigger mark_extras after ${event} on ${table}
        for each row when (new.${column} is not null) execute function mark_extras('${column}')`);
    }
  }
}

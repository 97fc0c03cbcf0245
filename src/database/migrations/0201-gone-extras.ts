import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/** Whatever deletes a message, on nodes of any version, deletes its poll, what it forwards and its previews with it. */
export class GoneExtras extends Migration {
  override up(): void {
    this.addSql(`create function end_previews() returns trigger language plpgsql ${here} as $$ begin
      new.previews := null;
      return new; end $$`);
    this.addSql(`create trigger end_previews before update of deleted_at on messages
      for each row when (new.deleted_at is not null and new.previews is not null) execute function end_previews()`);
    this.addSql(`create function end_extras() returns trigger language plpgsql ${here} as $$ begin
      delete from polls where message_id = old.id;
      delete from message_forwards where message_id = old.id;
      return null; end $$`);
    this.addSql(`create trigger end_extras_updated after update of deleted_at on messages
      for each row when (old.has_extras and old.deleted_at is null and new.deleted_at is not null)
      execute function end_extras()`);
    this.addSql(`create trigger end_extras_deleted after delete on messages
      for each row when (old.has_extras) execute function end_extras()`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/**
 * What a username looks like (UTS 39), so that no new one looks like another's. Of a plain ASCII name SQL tells it: nothing
 * has to be written for those that are there, or that older nodes add. Of others only a node does: `fillSkeletons` of
 * accounts writes it for those that are without. Names that look alike already stay, so the index is not unique.
 */
export class NameSkeletons extends Migration {
  override up(): void {
    this.addSql('alter table users add column name_skeleton text null');
    this.addSql(
      `create index users_look on users (coalesce(name_skeleton, replace(lower(translate(username, '01I', 'oll') collate "C"), 'm', 'rn'))) where deleted_at is null`,
    );
    this.addSql(
      `create index users_unseen on users (id) where name_skeleton is null and (username collate "C") ~ '[^ -~]' and deleted_at is null`,
    );
    // Older nodes rename bots, and know nothing of this column.
    this.addSql(`create function forget_name_skeleton() returns trigger language plpgsql set search_path from current as $$ begin
      new.name_skeleton := null;
      return new; end $$`);
    this.addSql(`create trigger forget_name_skeleton before update of username on users
      for each row when (old.username is distinct from new.username
        and new.name_skeleton is not distinct from old.name_skeleton) execute function forget_name_skeleton()`);
  }
}

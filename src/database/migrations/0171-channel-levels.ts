import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/**
 * What people are notified of in single channels (contract §7). A trigger notes at a channel whether anyone wants all of its
 * messages: in others a message costs no look-up for that. Of two who choose at once one waits for the other: the statement
 * after the lock sees both.
 */
export class ChannelLevels extends Migration {
  override up(): void {
    this.addSql(
      'create table channel_levels (channel_id uuid not null, user_id uuid not null, level text not null, primary key (channel_id, user_id))',
    );
    this.addSql('create index channel_levels_user_id_index on channel_levels (user_id)');
    for (const [column, table] of [
      ['channel_id', 'channels'],
      ['user_id', 'users'],
    ]) {
      this.addSql(
        `alter table channel_levels add constraint channel_levels_${column}_foreign foreign key (${column}) references ${table} (id) on update cascade on delete cascade`,
      );
    }
    this.addSql('alter table channels add column is_watched boolean not null default false');
    this.addSql(`create trigger invalidate_is_watched_updated after update of is_watched on channels
      for each row when (old.is_watched is distinct from new.is_watched)
      execute function invalidate('channels', 'id')`);
    this.addSql(`create function note_watched() returns trigger language plpgsql ${here} as $$ begin
      perform from channels where id in (select channel_id from changed) order by id for no key update;
      update channels c set is_watched = not c.is_watched
        where c.id in (select channel_id from changed) and c.is_watched <> exists (
          select from channel_levels l where l.channel_id = c.id and l.level = 'all');
      return null; end $$`);
    for (const [event, kind] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      this.addSql(`create trigger note_watched_${event} after ${event} on channel_levels
        referencing ${kind} table as changed for each statement execute function note_watched()`);
    }
  }
}

import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';
const noSpans = '{"isOn":false,"spans":[]}';

const reference = (table: string, column: string, to: string) =>
  `alter table ${table} add constraint ${table}_${column}_foreign foreign key (${column}) references ${to} (id) on update cascade on delete cascade`;

/**
 * Quiet hours, snoozes, levels of servers and keywords (contract §7). A trigger notes at a server whether anyone wants all
 * of its messages, as one does at channels: in others a message costs no look-up for that. Of two who choose at once one waits for
 * the other: the statement after the lock sees both.
 */
export class NotificationSettings extends Migration {
  override up(): void {
    this.addSql(
      `alter table notification_preferences add column quiet_hours json not null default '${noSpans}', add column snoozed_until timestamptz(3) null, add column digest_minutes int null`,
    );
    this.addSql(
      'create table server_levels (server_id uuid not null, user_id uuid not null, level text not null, primary key (server_id, user_id))',
    );
    this.addSql('create index server_levels_user_id_index on server_levels (user_id)');
    this.addSql(reference('server_levels', 'server_id', 'servers'));
    this.addSql(reference('server_levels', 'user_id', 'users'));
    this.addSql('alter table servers add column is_watched boolean not null default false');
    this.addSql(`create trigger invalidate_channels_watched after update of is_watched on servers
      for each row when (old.is_watched is distinct from new.is_watched) execute function invalidate_public_channels()`);
    this.addSql(`create function note_watched_servers() returns trigger language plpgsql ${here} as $$ begin
      perform from servers where id in (select server_id from changed) order by id for no key update;
      update servers s set is_watched = not s.is_watched
        where s.id in (select server_id from changed) and s.is_watched <> exists (
          select from server_levels l where l.server_id = s.id and l.level = 'all');
      return null; end $$`);
    for (const [event, kind] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      this.addSql(`create trigger note_watched_servers_${event} after ${event} on server_levels
        referencing ${kind} table as changed for each statement execute function note_watched_servers()`);
    }
    this.addSql(
      'create table notification_keywords (user_id uuid not null, place int not null, text text not null, word text not null, primary key (user_id, place))',
    );
    this.addSql('create index notification_keywords_word on notification_keywords (word, user_id)');
    this.addSql(
      'alter table notification_keywords add constraint notification_keywords_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
  }
}

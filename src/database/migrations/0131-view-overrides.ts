import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/**
 * Notes at channels whether an override says who may view them, so that statements about all others look no overrides up.
 * A trigger keeps it, since roles and people take their overrides along.
 */
export class ViewOverrides extends Migration {
  override up(): void {
    // Others wait behind a lock that is waited for, say until a dump is over: of this and all that follow in the transaction.
    this.addSql(`set local lock_timeout = '100ms'`);
    this.addSql('alter table channels add column view_overridden boolean not null default false');
    this.addSql(`create function note_view_overrides() returns trigger language plpgsql ${here} as $$ begin
      update channels c set view_overridden = not c.view_overridden
        where c.id in (select channel_id from changed) and c.view_overridden <> exists (
          select from channel_overrides o where o.channel_id = c.id and 'view' = any (o.allow || o.deny));
      return null; end $$`);
    for (const [event, kind] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      this.addSql(`create trigger note_view_overrides_${event} after ${event} on channel_overrides
        referencing ${kind} table as changed for each statement execute function note_view_overrides()`);
    }
  }
}

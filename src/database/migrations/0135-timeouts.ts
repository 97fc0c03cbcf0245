import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/** Timeouts. Older nodes let those write whom newer ones time out. */
export class Timeouts extends Migration {
  override up(): void {
    this.addSql(
      'create table server_timeouts (server_id uuid not null, user_id uuid not null, timed_out_by uuid null, reason text null, until timestamptz(3) not null, created_at timestamptz(3) not null, primary key (server_id, user_id))',
    );
    this.addSql('create index server_timeouts_user_id_index on server_timeouts (user_id)');
    this.addSql('create index server_timeouts_over on server_timeouts (until)');
    for (const [column, table, rule] of [
      ['server_id', 'servers', 'update cascade on delete cascade'],
      ['user_id', 'users', 'update cascade on delete cascade'],
      ['timed_out_by', 'users', 'delete set null'],
    ]) {
      this.addSql(
        `alter table server_timeouts add constraint server_timeouts_${column}_foreign foreign key (${column}) references ${table} (id) on ${rule}`,
      );
    }
    // What nodes cache of the member, and of the bots that are held with their owner.
    this.addSql(`create function invalidate_timeouts() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys)
        select 'server-seats', array_agg(concat_ws(':', c.server_id, held.user_id)) from changed c cross join lateral (
          select c.user_id union all select a.user_id from agents a where a.owner_id = c.user_id) as held
        having count(*) > 0;
      return null; end $$`);
    for (const [event, rows] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      this.addSql(`create trigger invalidate_timeouts_${event} after ${event} on server_timeouts
        referencing ${rows} table as changed for each statement execute function invalidate_timeouts()`);
    }
    this.watchOwners();
  }

  /** A bot is held with whoever owns it by now. */
  private watchOwners(): void {
    this.addSql(`create function invalidate_seats_of_bot() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys)
        select 'server-seats', array_agg(concat_ws(':', m.server_id, m.user_id)) from server_members m
        where m.user_id = new.user_id having count(*) > 0;
      return null; end $$`);
    this.addSql(`create trigger invalidate_seats_of_bot after update of owner_id on agents
      for each row when (old.owner_id is distinct from new.owner_id) execute function invalidate_seats_of_bot()`);
  }
}

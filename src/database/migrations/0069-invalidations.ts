import { Migration } from '@mikro-orm/migrations';

/** What nodes cache of a table, and which columns are the key. */
interface Kept {
  table: string;
  cache: string;
  key: string[];
  /** The columns that the cached values depend on. */
  values: string[];
  /** A new row is a change as well: nodes also cache that there is none. */
  inserts?: true;
}

/** An operator's SQL or a restore may run with another search path. */
const here = 'set search_path from current';

const person = ['username', 'display_name', 'avatar_url', 'is_bot', 'tier', 'deleted_at'];
const channel = ['server_id', 'kind', 'name', 'type', 'is_private', 'is_archived', 'deleted_at'];

const kept: Kept[] = [
  { table: 'users', cache: 'users', key: ['id'], values: person },
  { table: 'users', cache: 'agents', key: ['id'], values: person },
  { table: 'sessions', cache: 'sessions', key: ['id'], values: ['revoked_at'] },
  { table: 'personal_tokens', cache: 'personal-tokens', key: ['id'], values: ['revoked_at', 'scope', 'expires_at'] },
  { table: 'agents', cache: 'agents', key: ['user_id'], values: ['status', 'owner_id'] },
  { table: 'agent_tokens', cache: 'agent-tokens', key: ['id'], values: ['ends_at'] },
  { table: 'model_tokens', cache: 'model-tokens', key: ['id'], values: ['expires_at'] },
  { table: 'channels', cache: 'channels', key: ['id'], values: channel },
  { table: 'server_members', cache: 'server-seats', key: ['server_id', 'user_id'], values: ['role'] },
  {
    table: 'channel_members',
    cache: 'channel-members',
    key: ['channel_id', 'user_id'],
    values: ['excluded'],
    inserts: true,
  },
  { table: 'threads', cache: 'threads', key: ['id'], values: ['is_archived', 'deleted_at'] },
];

/**
 * Every change to cached data writes an invalidation in its own transaction, whether made by a node, the command line
 * or an operator's SQL. Every node polls for invalidations once a second (see delivery/invalidation-watch.ts).
 */
export class Invalidations extends Migration {
  override up(): void {
    this.addSql(
      `create table invalidations (id bigserial not null, xid xid8 not null default pg_current_xact_id(), cache text not null, keys text[] null, created_at timestamptz(3) not null default clock_timestamp(), primary key (id))`,
    );
    this.addSql('create index invalidations_xid on invalidations (xid)');
    // Its arguments: the name of the cache, and one or two columns that make up the key.
    this.addSql(`create function invalidate() returns trigger language plpgsql ${here} as $$ begin
      if tg_level = 'ROW' then
        insert into invalidations (cache, keys) values (
          tg_argv[0], array[concat_ws(':', to_jsonb(new) ->> tg_argv[1], to_jsonb(new) ->> tg_argv[2])]);
      else
        insert into invalidations (cache, keys)
          select tg_argv[0], array_agg(concat_ws(':', to_jsonb(c) ->> tg_argv[1], to_jsonb(c) ->> tg_argv[2]))
          from changed c having count(*) > 0;
      end if;
      return null; end $$`);
    for (const one of kept) this.watch(one);
    this.watchRelated();
  }

  /** Watches only the columns that matter: a thread's message count or a session's last use changes all the time. */
  private watch({ table, cache, key, values, inserts }: Kept): void {
    const name = `invalidate_${cache.replaceAll('-', '_')}`;
    const run = `execute function invalidate(${[cache, ...key].map((text) => `'${text}'`).join(', ')})`;
    const differs = values.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
    this.addSql(`create trigger ${name}_updated after update of ${values.join(', ')} on ${table}
      for each row when (${differs}) ${run}`);
    this.addSql(`create trigger ${name}_deleted after delete on ${table}
      referencing old table as changed for each statement ${run}`);
    if (inserts) {
      this.addSql(`create trigger ${name}_inserted after insert on ${table}
        referencing new table as changed for each statement ${run}`);
    }
  }

  /** For keys in another table; no keys: the whole cache. */
  private watchRelated(): void {
    this.addSql(`create function invalidate_public_channels() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys)
        select 'channels', array_agg(id) from channels where server_id = new.id having count(*) > 0;
      return null; end $$`);
    this.addSql(`create trigger invalidate_channels_updated after update of is_public on servers
      for each row when (old.is_public is distinct from new.is_public) execute function invalidate_public_channels()`);

    this.addSql(`create function invalidate_dm_standing() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys)
        select 'dm-standing', array_agg(d.channel_id) from changed c join dm_channels d
          on d.low_id = least(c.user_id, c.blocked_id) and d.high_id = greatest(c.user_id, c.blocked_id)
        having count(*) > 0;
      return null; end $$`);
    for (const [event, rows] of [
      ['insert', 'new'],
      ['delete', 'old'],
    ]) {
      this.addSql(`create trigger invalidate_dm_standing_${event} after ${event} on blocks
        referencing ${rows} table as changed for each statement execute function invalidate_dm_standing()`);
    }

    this.addSql(`create function invalidate_all_of() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache) select unnest(tg_argv);
      return null; end $$`);
    this.addSql(`create trigger invalidate_standings after update of deleted_at on users
      for each row when (old.deleted_at is distinct from new.deleted_at)
      execute function invalidate_all_of('dm-standing', 'model-tokens')`);
    this.addSql(`create trigger invalidate_policies after insert or update or delete on agent_policies
      for each statement execute function invalidate_all_of('agent-policies')`);
  }
}

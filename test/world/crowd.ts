import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Tokens } from '../../src/features/accounts/tokens.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { Person, type Place } from './person.ts';
import { query } from './sql.ts';

/**
 * Many people at once who are members of a server. They are put into the database as they are, since hundreds of
 * registrations would take longer than what is tested with them.
 *
 * @param secret the nodes' JWT_SECRET
 */
export async function crowd<N extends Place>(
  count: number,
  site: { databaseUrl: string; secret: string; serverId: string; at: (index: number) => N },
): Promise<Person<N>[]> {
  const tokens = new Tokens(loadSettings({ NODE_ENV: 'test', JWT_SECRET: site.secret }));
  const members = Array.from({ length: count }, () => ({ id: randomUUID(), sid: randomUUID() }));
  const [ids, sids] = [members.map(({ id }) => id), members.map(({ sid }) => sid)];
  const client = new pg.Client(site.databaseUrl);
  await client.connect();
  await client.query(
    `INSERT INTO users (id, username, username_key, display_name, tier, created_at, updated_at)
     SELECT id, 'c' || left(id::text, 13), 'c' || left(id::text, 13), 'Someone', 'member', now(), now()
     FROM unnest($1::uuid[]) AS id`,
    [ids],
  );
  await client.query(`INSERT INTO streams (id, kind) SELECT id, 'user' FROM unnest($1::uuid[]) AS id`, [ids]);
  await client.query(
    `INSERT INTO sessions (id, user_id, refresh_hash, refresh_expires_at, created_at, last_seen_at)
     SELECT sid, id, sid::text, now() + interval '1 day', now(), now() FROM unnest($1::uuid[], $2::uuid[]) AS s (id, sid)`,
    [ids, sids],
  );
  await client.query(
    `INSERT INTO server_members (server_id, user_id, role, joined_at)
     SELECT $2, id, 'member', now() FROM unnest($1::uuid[]) AS id`,
    [ids, site.serverId],
  );
  await client.end();
  return members.map(({ id, sid }, index) => {
    const token = tokens.sign({ sub: id, sid, typ: 'access' }, 3600);
    return new Person(site.at(index), { id, username: `c${id.slice(0, 13)}`, token, refreshToken: '' });
  });
}

/** Has a server know how many members it has, as joining one by one does. */
export async function countMembers(databaseUrl: string, serverId: string): Promise<void> {
  const count = '(SELECT count(*) FROM server_members WHERE server_id = $1)';
  await query(databaseUrl, `UPDATE servers SET member_count = ${count} WHERE id = $1`, [serverId]);
}

import pg from 'pg';
import { Tokens } from '../src/features/accounts/tokens.ts';
import { loadSettings } from '../src/settings/settings.ts';

const tokenSeconds = 24 * 3600;

/** Ids that their number determines: in the form of those that nodes make, and in order. */
const idPrefix = { user: '00000000-0000-7000-8000-', session: '00000000-0000-7000-8001-' };
export const crowdUser = (n: number | string) => idOf(idPrefix.user, n);
const idOf = (prefix: string, n: number | string) => prefix + Number(n).toString(16).padStart(12, '0');
const sqlId = (prefix: string) => `('${prefix}' || lpad(to_hex(n), 12, '0'))::uuid`;

const [user, session] = [sqlId(idPrefix.user), sqlId(idPrefix.session)];
const everyone = 'FROM generate_series(1, $1::int) AS n';

/** Puts people who are members of a server into the database as they are: registering so many would take hours. */
const statements = [
  `INSERT INTO users (id, username, username_key, display_name, is_bot, tier, created_at, updated_at)
   SELECT ${user}, 'crowd' || n, 'crowd' || n, 'Somebody ' || n, false, 'member', now(), now() ${everyone}`,
  `INSERT INTO streams (id, kind) SELECT ${user}, 'user' ${everyone}`,
  `INSERT INTO sessions (id, user_id, refresh_hash, refresh_expires_at, created_at, last_seen_at)
   SELECT ${session}, ${user}, ${session}::text, now() + interval '1 day', now(), now() ${everyone}`,
  `INSERT INTO server_members (server_id, user_id, role, joined_at) SELECT $2::uuid, ${user}, 'member', now() ${everyone}`,
  // As those who join do: a server of so many is a large one.
  'UPDATE servers SET member_count = member_count + $1::int WHERE id = $2::uuid',
];

/**
 * Makes `count` different people members of a server.
 * @param secret the nodes' JWT_SECRET @returns their access tokens; person n is `crowdUser(n + 1)`
 */
export async function addCrowd(url: string, secret: string, serverId: string, count: number): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) {
      await client.query(statement, statement.includes('$2') ? [count, serverId] : [count]);
    }
    await client.query('ANALYZE users, streams, sessions, server_members');
  } finally {
    await client.end();
  }
  return crowdTokens(secret, count);
}

/** Access tokens of a crowd. */
export function crowdTokens(secret: string, count: number): string[] {
  const tokens = new Tokens(loadSettings({ NODE_ENV: 'test', JWT_SECRET: secret }));
  return Array.from({ length: count }, (_, i) =>
    tokens.sign({ sub: crowdUser(i + 1), sid: idOf(idPrefix.session, i + 1), typ: 'access' }, tokenSeconds),
  );
}

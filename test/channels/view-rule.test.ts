// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  readChannels,
  readEntries,
  selectEntry,
  selectIsDenied,
  selectIsInChannel,
  selectLetIn,
  selectMayKnow,
} from '../../src/access/channel.table.ts';
import { readServerRoles } from '../../src/access/rights.table.ts';
import { rightsIn } from '../../src/access/rights.ts';
import { readMemberships } from '../../src/access/server.table.ts';
import { placeIn } from '../../src/access/view.ts';
import type { Rows } from '../../src/database/database.ts';
import { startCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';
import { world } from '../world/world.ts';

/** Numbers that are as good as random, and the same in each run. */
function dice(seed: number) {
  let state = seed;
  const next = (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * sides);
  };
  return {
    next,
    of: <T>(all: readonly T[]): T => {
      const found = all[next(all.length)];
      if (found === undefined) throw new Error('nothing to choose from');
      return found;
    },
  };
}

interface Made {
  users: { id: string; isBot: boolean }[];
  channels: string[];
}

/** Members with all kinds of roles, and channels with all kinds of overrides and of rows about who was let in. */
async function population(rows: Rows, serverId: string, seed: number): Promise<Made> {
  const { next, of } = dice(seed);
  const roles = Array.from({ length: 3 }, () => randomUUID());
  for (const [at, id] of roles.entries()) {
    await rows(
      `INSERT INTO server_roles (id, server_id, name, position, permissions, created_at, updated_at)
       VALUES ($1, $2, 'r', $3, $4, now(), now())`,
      [id, serverId, at + 1, at === 0 ? ['channel:see-private'] : []],
    );
  }
  const users = Array.from({ length: 24 }, (_, at) => ({ id: randomUUID(), isBot: at % 6 === 5 }));
  for (const { id, isBot } of users) {
    await rows(
      `INSERT INTO users (id, username, username_key, name_skeleton, display_name, tier, is_bot, created_at, updated_at, second_factor_at)
       VALUES ($1::uuid, $1::text, $1::text, $1::text, 'x', 'member', $2, now(), now(), $3)`,
      [id, isBot, next(2) ? new Date() : null],
    );
    const role = of(['admin', 'moderator', 'moderator', 'member', 'member']);
    await rows('INSERT INTO server_members (server_id, user_id, role, joined_at) VALUES ($1, $2, $3, now())', [
      serverId,
      id,
      role,
    ]);
    for (const roleId of roles.filter(() => next(3) === 0)) {
      await rows('INSERT INTO member_roles (role_id, user_id, server_id) VALUES ($1, $2, $3)', [roleId, id, serverId]);
    }
  }
  const channels = Array.from({ length: 16 }, () => randomUUID());
  for (const id of channels) {
    await rows(
      `INSERT INTO channels (id, server_id, kind, name, type, is_private, created_at, updated_at)
       VALUES ($1, $2, 'server', 'c', 'text', $3, now(), now())`,
      [id, serverId, next(2) === 0],
    );
    const subjects = [
      ...roles.map((roleId) => [null, roleId, null]),
      ['moderator', null, null],
      ...users.slice(0, 4).map((user) => [null, null, user.id]),
    ];
    for (const subject of subjects.filter(() => next(2) === 0)) {
      const lists = of([
        [['view'], []],
        [[], ['view']],
        [['post'], ['react']],
      ]);
      // Whom a person is let in by is their row alone.
      if (subject[2]) lists[0] = [];
      await rows(
        'INSERT INTO channel_overrides (id, channel_id, built_in, role_id, user_id, allow, deny) VALUES ($1, $2, $3, $4, $5, $6, $7)',
        [randomUUID(), id, ...subject, ...lists],
      );
    }
    for (const user of users.filter(() => next(4) === 0)) {
      await rows('INSERT INTO channel_members (channel_id, user_id, excluded, joined_at) VALUES ($1, $2, $3, now())', [
        id,
        user.id,
        next(2) === 0,
      ]);
    }
  }
  return { users, channels };
}

/** Who is in which channel, or may know of which, by the rule in TypeScript: `<channel>:<user>`. */
async function byFacts(rows: Rows, serverId: string, { users, channels }: Made, what: 'isMember' | 'mayKnow') {
  const roles = (await readServerRoles(rows, [serverId])).get(serverId) ?? { roles: [] };
  const members = await readMemberships(
    rows,
    users.map(({ id }) => `${serverId}:${id}`),
  );
  const infos = await readChannels(rows, channels);
  const keys = channels.flatMap((channel) => users.map(({ id }) => `${channel}:${id}`));
  const entries = await readEntries(rows, keys);
  return channels.flatMap((channelId) =>
    users.flatMap(({ id, isBot }) => {
      const member = members.get(`${serverId}:${id}`);
      const channel = infos.get(channelId);
      if (!member || !channel) throw new Error('a fact is missing');
      const excluded = entries.get(`${channelId}:${id}`)?.excluded ?? null;
      return placeIn(rightsIn(roles, member), channel, { id, isBot, excluded })[what] ? [`${channelId}:${id}`] : [];
    }),
  );
}

const bySql = `SELECT c.id || ':' || u.id AS key FROM channels c JOIN server_members m ON m.server_id = c.server_id
  JOIN users u ON u.id = m.user_id WHERE c.id = ANY($1::uuid[]) AND u.id = ANY($2::uuid[])
  AND ${selectIsInChannel({ user: 'u.id', excluded: selectEntry('u.id'), isBot: 'u.is_bot', inServer: 'true' })}`;
const bySqlKnown = `SELECT c.id || ':' || m.user_id AS key FROM channels c JOIN server_members m ON m.server_id = c.server_id
  WHERE c.id = ANY($1::uuid[]) AND m.user_id = ANY($2::uuid[]) AND ${selectMayKnow}`;
const byLists = `SELECT c.id || ':' || e.user_id AS key FROM channels c JOIN channel_members e ON e.channel_id = c.id AND NOT e.excluded
  WHERE c.id = ANY($1::uuid[]) AND c.is_private AND $2::uuid[] IS NOT NULL AND NOT ${selectIsDenied('e.user_id')}
  UNION ALL SELECT c.id || ':' || own.user_id FROM channels c CROSS JOIN LATERAL ${selectLetIn} AS own
  WHERE c.id = ANY($1::uuid[]) AND c.is_private`;

describe('who views a channel', () => {
  it('is decided in SQL as it is in TypeScript, whatever roles, overrides and rows there are', async () => {
    const cluster = await startCluster({ nodes: 1 });
    try {
      const here = await world(cluster);
      await withRows(cluster.databaseUrl, async (rows) => {
        for (let seed = 1; seed <= 6; seed++) {
          const server = (await here.alice.post('/api/servers', { name: `Seed ${seed}` })).body;
          await rows('UPDATE servers SET require_second_factor = $2 WHERE id = $1', [server.id, seed % 2 === 0]);
          const made = await population(rows, server.id, seed);
          const values = [made.channels, made.users.map(({ id }) => id)];
          const keysOf = async (text: string) =>
            (await rows<{ key: string }>(text, values)).map(({ key }) => key).sort();
          const expected = (await byFacts(rows, server.id, made, 'isMember')).sort();
          expect(await keysOf(bySql), `seed ${seed}`).to.deep.equal(expected);
          const known = (await byFacts(rows, server.id, made, 'mayKnow')).sort();
          expect(await keysOf(bySqlKnown), `seed ${seed}, known`).to.deep.equal(known);
          const closed = await rows<{ id: string }>(
            'SELECT id FROM channels WHERE id = ANY($1::uuid[]) AND is_private',
            [made.channels],
          );
          const inClosed = expected.filter((key) => closed.some(({ id }) => key.startsWith(id)));
          expect(await keysOf(byLists), `seed ${seed}`).to.deep.equal(inClosed);
        }
      });
      here.close();
    } finally {
      await cluster.stop();
    }
  }).timeout(120_000);
});

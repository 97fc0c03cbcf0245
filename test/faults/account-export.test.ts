// nodes: own
// alone

import { randomBytes } from 'node:crypto';
import nodePath from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { AccountArchive } from '../accounts/account-archive.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import { query } from '../world/sql.ts';

const path = '/api/auth/me/export';

describe('the export of an account whose node dies', () => {
  let site: Installation;
  before(async () => {
    site = await install({ nodes: 2, redisUrl: await sharedRedis() });
  });
  after(() => site.stop());

  it('is begun anew by another node, and made and told of once', async () => {
    const { databaseUrl, here } = site;
    const [first, second] = site.nodes;
    if (!first || !second) throw new Error('no nodes');
    const { alice, channel } = here;
    for (let i = 0; i < 20; i++) await alice.say(channel.id, `message ${i}`);
    await alice.upload('large.bin', Buffer.alloc(4 * 1024 * 1024, 'x'));
    // Whoever takes the job waits here, in the midst of it, until it is killed.
    const holder = new pg.Client(databaseUrl);
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE friendships IN ACCESS EXCLUSIVE MODE');
    expect((await alice.get(path)).body.state).to.equal('preparing');
    const sql = <R extends object>(text: string) => query<R>(databaseUrl, text);
    const worker = await until(async () => {
      const running = await Promise.all([first, second].map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
      const at = running.findIndex((text) => /jobs_running\{[^}]*kind="account-export"[^}]*\} 1/.test(text));
      return [first, second][at];
    });
    await until(async () => (await sql('SELECT FROM blobs WHERE hash IS NULL')).length === 1);
    await worker.kill();
    await holder.query('COMMIT');
    await holder.end();
    const survivor = worker === first ? second : first;
    // As after half a minute.
    await sql(`UPDATE jobs SET due_at = now() WHERE kind = 'account-export'`);
    const owner = alice.on(survivor);
    const archive = await AccountArchive.of(owner);
    expect(await archive.list(`messages-${channel.id}`)).to.have.lengthOf(20);
    const notices = await until(async () => {
      const { body } = await owner.get('/api/notifications');
      const kinds: string[] = body.map(({ kind }: { kind: string }) => kind);
      return kinds.includes('account.export_ready') && kinds.filter((kind) => kind.startsWith('account.'));
    });
    expect(notices).to.deep.equal(['account.export_ready']);
    // It goes in a change of its own, after what is told.
    await until(async () => (await sql(`SELECT FROM jobs WHERE kind = 'account-export'`)).length === 0);
    expect(await sql('SELECT FROM account_exports')).to.have.lengthOf(1);
  });
});

/** Milliseconds of processor time that a turn may take on a slow machine (as in longest-turns). */
const longestTurn = 100;
const meter = nodePath.resolve(import.meta.dirname, '../rig/turn-meter.ts');

describe('the export of a large account', () => {
  let site: Installation;
  before(async () => {
    site = await install({ env: { NODE_OPTIONS: `--import=${meter}` } });
  });
  after(() => site.stop());

  it('holds nobody up, whatever is in it, and is held in memory at no time', async () => {
    const { databaseUrl, here } = site;
    const { alice, bob, channel } = here;
    const [node] = site.nodes;
    if (!node) throw new Error('no node');
    const longestSince = async (): Promise<number> => {
      const isTold = (line: string) => line.startsWith('{"longestTurnMs"');
      const count = node.lines.filter(isTold).length;
      node.signal('SIGUSR2');
      await until(() => node.lines.filter(isTold).length > count);
      return JSON.parse(node.lines.findLast(isTold) ?? '{}').longestTurnMs;
    };
    const fill = (text: string, count: number) =>
      query(
        databaseUrl,
        `WITH head AS (UPDATE streams SET last_seq = last_seq + $4 WHERE id = $1 RETURNING last_seq - $4 AS last)
         INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
         SELECT gen_random_uuid(), $1, last + i, $2, repeat($3, 16000 / $5::int), now(), now()
         FROM head, generate_series(1, $4::int) i`,
        [channel.id, alice.id, text, count, text === '.' ? 1600 : 1],
      );
    // Text that grows by six when it is written, and more messages than are found at once.
    await fill('<', 2000);
    await fill('.', 55_000);
    await query(
      databaseUrl,
      `INSERT INTO notifications (id, user_id, type, kind, title, body, sender_id, scope, created_at, updated_at)
       SELECT gen_random_uuid(), $1, 'system', 'server.kicked', repeat('&', 200), '', $2, '', now(), now()
       FROM generate_series(1, 20000)`,
      [alice.id, bob.id],
    );
    await alice.upload('large.bin', randomBytes(20 * 1024 * 1024));
    const before = node.memory;
    await longestSince();
    const archive = await AccountArchive.of(alice);
    const [turn, grown] = [await longestSince(), node.memory - before];
    const gone = (await archive.list('notifications')).filter(({ kind }) => kind === 'server.kicked');
    expect(gone).to.have.lengthOf(20_000);
    const own = [
      ...(await archive.list(`messages-${channel.id}`)),
      ...(await archive.list(`messages-${channel.id}-from-2`)),
    ];
    expect(new Set(own.map(({ id }) => id)).size).to.equal(57_000);
    expect(turn, 'ms of the longest turn').to.be.lessThan(longestTurn);
    expect(grown, 'MiB that it grew by').to.be.lessThan(250);
  }).timeout(240_000);
});

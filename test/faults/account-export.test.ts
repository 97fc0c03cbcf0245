// nodes: own

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
    expect(await sql(`SELECT FROM jobs WHERE kind = 'account-export'`)).to.deep.equal([]);
    expect(await sql('SELECT FROM account_exports')).to.have.lengthOf(1);
  });
});

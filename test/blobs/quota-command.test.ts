// nodes: own

import { expect } from 'chai';
import { dataFolder } from '../accounts/mailbox.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Outcome, parley } from '../world/operator.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('the command about quotas', () => {
  const folder = dataFolder();
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster();
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const quota = (...args: string[]): Promise<Outcome> =>
    parley({ DATABASE_URL: cluster.databaseUrl, DATA_DIR: folder.dataDir }, ['quota', ...args]);

  it('shows what is stored, sets how much that may be, and is audited', async () => {
    const { alice, bob, server } = here;
    await alice.post(`/api/servers/${server.id}/workspace/files`, { name: 'notes.txt', content: 'x'.repeat(2048) });
    const set = await quota(bob.username, '1.5MiB');
    expect([set.code, set.complaint]).to.deep.equal([0, '']);
    expect(set.out).to.contain(`${bob.username} stores 0 B of 1.5 MiB; 1.5 MiB are left.`);
    expect((await bob.get('/api/auth/me/storage')).body.quotaBytes).to.equal(1.5 * 2 ** 20);
    const ofServer = await quota(`server:${server.slug}`);
    expect(ofServer.out).to.contain('stores 2 KiB of 100 GiB').and.to.contain('2 KiB  workspaces, 1 files');
    expect((await quota('installation', '1TB')).out).to.contain('of 931.3 GiB.');
    expect((await quota(bob.username, 'default')).out).to.contain('of 64 MiB');
    const audited = `SELECT target_id AS id, after::text AS after FROM audit_entries WHERE action = 'quota.set' ORDER BY created_at, id`;
    const entries = await query<{ id: string | null; after: string }>(cluster.databaseUrl, audited);
    expect(entries.map(({ id, after }) => [id, JSON.parse(after)])).to.deep.equal([
      [bob.id, { bytes: 1.5 * 2 ** 20 }],
      [null, { bytes: 10 ** 12 }],
      [bob.id, { bytes: null }],
    ]);
    await query(
      cluster.databaseUrl,
      `INSERT INTO storage_usage (subject_id, kind, bytes) VALUES ($1, 'apps', 5000)
      ON CONFLICT (subject_id, kind) DO UPDATE SET bytes = 5000`,
      [alice.id],
    );
    expect((await quota()).out)
      .to.contain('The installation stores')
      .and.to.contain(alice.username);
    const wrong = await quota(bob.username, 'much');
    expect([wrong.code, wrong.complaint]).to.deep.equal([1, expectedComplaint]);
  });
});

const expectedComplaint = '"much" is no number of bytes; write 500MiB, 20GB, 1048576, or default.\n';

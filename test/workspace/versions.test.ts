// nodes: one and two

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { forgetVersions } from '../../src/features/workspace/version.table.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const quotaBytes = 10_000;

describe('the older versions of a file', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ settings: { workspace: { quotaBytes, versions: 3, versionDays: 30 } } });
  });
  after(() => cluster.stop());

  let here: World;
  let base: string;
  let file: Loose;
  beforeEach(async () => {
    here = await world(cluster);
    base = `/api/servers/${here.server.id}/workspace`;
    file = (await here.alice.post(`${base}/files`, { name: 'a.txt', content: 'one' })).body;
  });
  afterEach(() => here.close());

  const save = (who: Person, content: string) => who.patch(`${base}/files/${file.id}`, { content });
  const at = (version: number) => `${base}/files/${file.id}/versions/${version}`;
  const versions = async (): Promise<Loose[]> => (await here.bob.get(`${base}/files/${file.id}/versions`)).body;
  const numbers = async () => (await versions()).map(({ version }) => version);
  const textAt = async (version: number) =>
    (await here.bob.get(`${base}/files/${file.id}?version=${version}`)).body.content;
  const stats = async (): Promise<Loose> => (await here.bob.get(`${base}/stats`)).body;

  async function send(who: Person, bytes: Uint8Array<ArrayBuffer>, headers = {}): Promise<Loose> {
    const form = new FormData();
    form.append('file', new File([bytes], 'another name.bin'));
    const address = `${who.node.url}${base}/files/${file.id}/upload`;
    const all = { authorization: `Bearer ${who.token}`, ...headers };
    const answer = await fetch(address, { method: 'POST', body: form, headers: all });
    return { status: answer.status, body: await answer.json() };
  }

  it('are kept with who saved them, and until when', async () => {
    await save(here.bob, 'two');
    await here.alice.patch(`${base}/files/${file.id}`, { name: 'b.txt' });
    await save(here.alice, 'three');
    const [now, second, first, ...more] = await versions();
    expect(more).to.deep.equal([]);
    expect(now).to.include({ version: 4, isCurrent: true, sizeBytes: 5, keptUntil: null, isText: true });
    expect(second).to.include({ version: 3, isCurrent: false, sizeBytes: 3 });
    expect(first).to.include({ version: 1, isCurrent: false });
    expect([now, second, first].map(({ savedBy }) => savedBy.id)).to.deep.equal([
      here.alice.id,
      here.bob.id,
      here.alice.id,
    ]);
    const days = (Date.parse(first.keptUntil) - Date.now()) / 86_400_000;
    expect(days).to.be.within(29, 30);
    expect(await Promise.all([1, 3, 4].map(textAt))).to.deep.equal(['one', 'two', 'three']);
    expect(await stats()).to.include({ totalBytes: 5, versionBytes: 6 });
  });

  it('are none where nothing was saved over, or the same, or nothing', async () => {
    await save(here.bob, 'one');
    await here.alice.patch(`${base}/files/${file.id}`, { name: 'b.txt' });
    expect(await numbers()).to.deep.equal([2]);
    await save(here.bob, '');
    await save(here.bob, 'two');
    expect(await numbers()).to.deep.equal([4, 2]);
  });

  it('come from uploads too, which keep the name of the file', async () => {
    const bytes = new Uint8Array(randomBytes(100));
    const { status, body } = await send(here.bob, bytes, { 'if-match': '"1"' });
    expect([status, body.name, body.sizeBytes, body.version]).to.deep.equal([200, 'a.txt', 100, 2]);
    expect((await send(here.bob, bytes, { 'if-match': '"1"' })).body).to.include({ code: 'FILE_CHANGED', version: 2 });
    expect(await numbers()).to.deep.equal([2, 1]);
    const answer = await fetch(`${here.bob.node.url}${base}/files/${file.id}/download?version=1`, {
      headers: { authorization: `Bearer ${here.bob.token}` },
    });
    expect(await answer.text()).to.equal('one');
  });

  it('are reached by signed links of their own', async () => {
    await save(here.bob, 'two');
    const { url } = (await here.bob.get(`${base}/files/${file.id}/media-url?version=1`)).body;
    const open = async (address: string) => (await fetch(new URL(address, here.alice.node.url))).text();
    expect(await open(url)).to.equal('one');
    expect(JSON.parse(await open(url.replace('version=1&', ''))).code).to.equal('LINK_EXPIRED');
    await here.alice.delete(at(1));
    expect(JSON.parse(await open(url)).code).to.equal('FILE_VERSION_NOT_FOUND');
  });

  it('are given back to the file, and lose nothing by it', async () => {
    await save(here.bob, 'two');
    const refused = await here.alice.post(`${at(1)}/restore`, undefined, { 'if-match': '"1"' });
    expect(refused.body).to.include({ code: 'FILE_CHANGED', version: 2 });
    const { status, body } = await here.alice.post(`${at(1)}/restore`, undefined, { 'if-match': '"2"' });
    expect([status, body.version]).to.deep.equal([200, 3]);
    expect((await here.bob.get(`${base}/files/${file.id}`)).body.content).to.equal('one');
    expect(await numbers()).to.deep.equal([3, 2, 1]);
  });

  it('are deleted one by one, by members alone', async () => {
    await save(here.bob, 'two');
    expect((await here.carol.get(`${base}/files/${file.id}/versions`)).status).to.equal(404);
    expect((await here.carol.delete(at(1))).status).to.equal(404);
    expect((await here.bob.delete(at(2))).body.code).to.equal('FILE_VERSION_NOT_FOUND');
    expect((await here.bob.delete(at(1))).status).to.equal(200);
    expect((await here.bob.delete(at(1))).body.code).to.equal('FILE_VERSION_NOT_FOUND');
    for (const none of ['0', '01', 'x', '99999999999', '1e3']) {
      const { status, body } = await here.alice.post(`${base}/files/${file.id}/versions/${none}/restore`);
      expect([status, body.code], none).to.deep.equal([404, 'FILE_VERSION_NOT_FOUND']);
    }
    expect(await stats()).to.include({ versionBytes: 0 });
  });

  it('are the newest ones, so many as the installation keeps', async () => {
    for (const text of ['two', 'three', 'four', 'five']) await save(here.bob, text);
    expect(await numbers()).to.deep.equal([5, 4, 3, 2]);
  });

  it('go when they are old', async () => {
    await save(here.bob, 'two');
    await save(here.bob, 'three');
    await query(
      cluster.databaseUrl,
      `UPDATE workspace_versions SET replaced_at = now() - interval '31 days' WHERE node_id = $1 AND version = 1`,
      [file.id],
    );
    await withRows(cluster.databaseUrl, async (rows) => {
      let forgotten = 1;
      while (forgotten > 0) forgotten = await forgetVersions(rows, 30);
    });
    expect(await numbers()).to.deep.equal([3, 2]);
    expect(await stats()).to.include({ versionBytes: 3 });
  });

  it('go with the file', async () => {
    await save(here.bob, 'two');
    await here.alice.delete(`${base}/files/${file.id}`);
    expect((await here.bob.get(`${base}/files/${file.id}/versions`)).status).to.equal(404);
    expect(await stats()).to.include({ totalBytes: 0, versionBytes: 0 });
  });

  it('do not come along with a copy, nor with a move', async () => {
    await save(here.bob, 'two');
    const copy = (await here.bob.post(`${base}/files/${file.id}/clone`)).body;
    expect((await here.bob.get(`${base}/files/${copy.id}/versions`)).body).to.have.lengthOf(1);
    const folder = (await here.bob.post(`${base}/folders`, { name: 'f' })).body;
    await here.bob.post(`${base}/nodes/paste`, { nodeIds: [file.id], targetParentId: folder.id, mode: 'cut' });
    expect(await versions()).to.have.lengthOf(2);
  });

  it('make room for files, the oldest first, and are never why a change is refused', async () => {
    await save(here.bob, 'x'.repeat(4000));
    await save(here.bob, 'y'.repeat(4000));
    expect(await stats()).to.include({ totalBytes: 4000, versionBytes: 4003 });
    const other = { name: 'b.txt', content: 'z'.repeat(2000) };
    expect((await here.alice.post(`${base}/files`, other)).status).to.equal(201);
    expect(await stats()).to.include({ totalBytes: 6000, versionBytes: 4000 });
    expect((await here.alice.post(`${base}/files`, other)).status).to.equal(201);
    expect(await stats()).to.include({ totalBytes: 8000, versionBytes: 0 });
    expect((await save(here.bob, 'w'.repeat(5000))).status).to.equal(200);
    expect(await stats()).to.include({ totalBytes: 9000, versionBytes: 0 });
    expect((await save(here.bob, 'w'.repeat(6001))).body).to.include({ code: 'QUOTA_EXCEEDED', quota: 'workspace' });
  });

  it('count for whoever saved them, and are left out where those have no room', async () => {
    const used = async (who: Person) => (await who.get('/api/auth/me/storage')).body.usedBytes;
    await save(here.bob, 'x'.repeat(1000));
    expect([await used(here.alice), await used(here.bob)]).to.deep.equal([1003, 0]);
    await save(here.bob, 'y'.repeat(1000));
    expect([await used(here.alice), await used(here.bob)]).to.deep.equal([1003, 1000]);
    const quota = 'INSERT INTO storage_quotas (subject_id, bytes) VALUES ($1, $2)';
    await query(cluster.databaseUrl, quota, [here.bob.id, 1500]);
    expect((await save(here.bob, 'z'.repeat(1000))).status).to.equal(200);
    expect(await used(here.bob)).to.equal(1000);
    expect(await numbers()).to.deep.equal([4, 2, 1]);
  });

  it('are told of by an event that lists the file', async () => {
    await save(here.bob, 'two');
    const socket = await here.alice.connect();
    const changed = socket.next('workspace:changed');
    await here.bob.delete(at(1));
    expect((await changed).nodes.map(({ id }: Loose) => id)).to.deep.equal([file.id]);
  });
});

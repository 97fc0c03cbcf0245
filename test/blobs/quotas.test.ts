// nodes: one and two

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { NIL } from 'uuid';
import { countOlder, sumUpChanges } from '../../src/features/blobs/usage.table.ts';
import { halves, sendPicture } from '../pictures/samples.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const kilo = 1000;

/** What all that is stored comes to, by whom it counts for: without what is kept of it. */
const summed = `SELECT subject_id::text AS id, sum(bytes)::float AS bytes FROM (
    SELECT uploader_id AS subject_id, size AS bytes FROM attachments
    UNION ALL SELECT c.server_id, a.size FROM attachments a JOIN messages m ON m.id = a.message_id
      JOIN channels c ON c.id = m.channel_id WHERE c.server_id IS NOT NULL
    UNION ALL SELECT uploader_id, bytes FROM pictures
    UNION ALL SELECT e.server_id, p.bytes FROM server_emoji e JOIN pictures p ON e.url = '/media/' || p.name || '.webp'
    UNION ALL SELECT created_by, size_bytes FROM workspace_nodes
    UNION ALL SELECT w.server_id, n.size_bytes FROM workspace_nodes n JOIN workspaces w ON w.id = n.workspace_id
    UNION ALL SELECT saved_by, size_bytes FROM workspace_versions
    UNION ALL SELECT w.server_id, v.size_bytes FROM workspace_versions v JOIN workspaces w ON w.id = v.workspace_id
    UNION ALL SELECT a.created_by, f.size_bytes FROM app_files f JOIN apps a ON a.id = f.app_id
    UNION ALL SELECT a.server_id, f.size_bytes FROM app_files f JOIN apps a ON a.id = f.app_id
    UNION ALL SELECT '${NIL}', size FROM blobs) t
  WHERE subject_id IS NOT NULL GROUP BY subject_id HAVING sum(bytes) <> 0 ORDER BY subject_id`;
const kept = `SELECT subject_id::text AS id, sum(bytes)::float AS bytes FROM (
    SELECT subject_id, bytes FROM storage_usage UNION ALL SELECT subject_id, bytes FROM storage_changes) t
  WHERE subject_id = '${NIL}' OR subject_id IN (SELECT id FROM users UNION SELECT id FROM servers)
  GROUP BY subject_id HAVING sum(bytes) <> 0 ORDER BY subject_id`;

describe('the quotas of storage', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ settings: { storage: { serverBytes: 100 * kilo } } });
  });
  after(() => cluster.stop());

  let here: World;
  beforeEach(async () => {
    here = await world(cluster);
  });
  afterEach(() => here.close());

  async function send(
    who: Person,
    to: string,
    size: number,
    name = 'file.bin',
  ): Promise<{ status: number; body: Loose }> {
    const form = new FormData();
    form.append('file', new File([new Uint8Array(randomBytes(size))], name));
    const headers = { authorization: `Bearer ${who.token}` };
    const answer = await fetch(who.node.url + to, { method: 'POST', body: form, headers });
    return { status: answer.status, body: await answer.json() };
  }
  const upload = async (who: Person, size: number): Promise<Loose> => (await send(who, '/api/media/upload', size)).body;
  const say = (who: Person, file: Loose) =>
    who.post(`/api/channels/${here.channel.id}/messages`, { content: 'a file', attachments: [{ id: file.id }] });
  const own = async (who: Person): Promise<Loose> => (await who.get('/api/auth/me/storage')).body;
  const ofServer = async (): Promise<Loose> => (await here.alice.get(`/api/servers/${here.server.id}/storage`)).body;
  const bytesOf = ({ kinds }: Loose) =>
    Object.fromEntries(kinds.map(({ kind, bytes }: Loose) => [kind, bytes]).filter(([, bytes]: number[]) => bytes));
  const compare = async () =>
    expect(await query(cluster.databaseUrl, kept)).to.deep.equal(await query(cluster.databaseUrl, summed));
  /** Until nothing is left to be added; a chore of a node may be at it, too. */
  const sumUp = () =>
    withRows(cluster.databaseUrl, (rows) =>
      until(async () => {
        await sumUpChanges(rows, 5000, 3600);
        return (await rows('SELECT FROM storage_changes')).length === 0;
      }),
    );
  const set = (subject: string, bytes: number) =>
    query(
      cluster.databaseUrl,
      `INSERT INTO storage_quotas (subject_id, bytes) VALUES ($1, $2)
       ON CONFLICT (subject_id) DO UPDATE SET bytes = excluded.bytes`,
      [subject, bytes],
    );

  it('count all that is stored for its person and its server, and give it back with what is deleted', async () => {
    const { alice, bob, server, channel } = here;
    const workspace = `/api/servers/${server.id}/workspace`;
    const sent = (await say(bob, await upload(bob, 10 * kilo))).body;
    await upload(bob, 5 * kilo);
    const node = (await send(bob, `${workspace}/upload`, 7 * kilo)).body;
    const page = { name: 'page', type: 'html', htmlContent: 'x'.repeat(3 * kilo) };
    const app = (await alice.post(`/api/servers/${server.id}/apps`, page)).body;
    await alice.patch(`/api/servers/${server.id}/apps/${app.id}`, { htmlContent: 'y'.repeat(4 * kilo) });
    expect(bytesOf(await own(bob))).to.deep.equal({ messages: 15 * kilo, workspaces: 7 * kilo });
    expect(bytesOf(await own(alice))).to.deep.equal({ apps: 4 * kilo });
    const all = { messages: 10 * kilo, workspaces: 7 * kilo, apps: 4 * kilo };
    expect(bytesOf(await ofServer())).to.deep.equal(all);
    await compare();
    const { usedBytes, quotaBytes, leftBytes } = await ofServer();
    expect([usedBytes, quotaBytes, leftBytes]).to.deep.equal([21 * kilo, 100 * kilo, 79 * kilo]);
    const forwarded = await alice.post(`/api/channels/${channel.id}/messages`, { content: 'see', forwardId: sent.id });
    expect(bytesOf(await own(alice))).to.deep.equal({ messages: 10 * kilo, apps: 4 * kilo });
    expect(bytesOf(await ofServer())).to.deep.include({ messages: 20 * kilo });
    await alice.patch(`${workspace}/files/${node.id}`, { content: 'z'.repeat(kilo) });
    await compare();
    await sumUp();
    await compare();
    await alice.delete(`/api/messages/${forwarded.body.id}`);
    await bob.delete(`/api/messages/${sent.id}`);
    await alice.delete(`${workspace}/files/${node.id}`);
    await alice.delete(`/api/servers/${server.id}/apps/${app.id}`);
    expect(bytesOf(await ofServer())).to.deep.equal({});
    expect(bytesOf(await own(bob))).to.deep.equal({ messages: 5 * kilo });
    await compare();
  });

  it('are for those who manage a server to read, and for nobody else', async () => {
    const { bob, carol, server } = here;
    expect((await bob.get(`/api/servers/${server.id}/storage`)).body.code).to.equal('ROLE_REQUIRED');
    expect((await carol.get(`/api/servers/${server.id}/storage`)).status).to.be.oneOf([403, 404]);
  });

  it('count emoji for their server, until nothing shows them', async () => {
    const { alice, server } = here;
    const picture = Buffer.from(await (await halves(64, 64)).png().toBuffer());
    const { url } = (await sendPicture(alice, picture, { shape: 'emoji' })).body;
    expect((await alice.post(`/api/servers/${server.id}/emoji`, { name: 'party_bird', url })).status).to.equal(201);
    const { pictures } = bytesOf(await ofServer());
    expect(pictures).to.be.above(0);
    expect(bytesOf(await own(alice))).to.deep.equal({ pictures });
    await compare();
    await query(cluster.databaseUrl, 'DELETE FROM server_emoji');
    await query(cluster.databaseUrl, 'DELETE FROM pictures');
    expect(bytesOf(await ofServer())).to.deep.equal({});
    await compare();
  });

  it('refuse what a server has no room for, on all nodes at once, and say what is left', async () => {
    const { alice, bob, server } = here;
    const files = await Promise.all(Array.from({ length: 8 }, (_, at) => upload(at % 2 ? alice : bob, 30 * kilo)));
    const answers = await Promise.all(files.map((file, at) => say(at % 2 ? alice : bob, file)));
    expect(answers.filter(({ status }) => status === 201)).to.have.lengthOf(3);
    for (const { body } of answers.filter(({ status }) => status !== 201)) {
      expect([body.code, body.quota]).to.deep.equal(['QUOTA_EXCEEDED', 'server']);
    }
    expect((await ofServer()).usedBytes).to.equal(90 * kilo);
    const refused = await send(bob, `/api/servers/${server.id}/workspace/upload`, 20 * kilo);
    expect(refused.status).to.equal(413);
    expect(refused.body).to.include({
      ...{
        code: 'QUOTA_EXCEEDED',
        quota: 'server',
        totalBytes: 90 * kilo,
        quotaBytes: 100 * kilo,
        leftBytes: 10 * kilo,
      },
    });
    const [sent] = answers.filter(({ status }) => status === 201);
    await alice.delete(`/api/messages/${sent?.body.id}`);
    expect((await send(bob, `/api/servers/${server.id}/workspace/upload`, 20 * kilo)).status).to.equal(201);
    await compare();
  });

  it('are what an operator sets for one person, one server, or all, in place of the settings', async () => {
    const { alice, bob, server } = here;
    await set(bob.id, 12 * kilo);
    expect((await own(bob)).quotaBytes).to.equal(12 * kilo);
    expect((await send(bob, '/api/media/upload', 10 * kilo)).status).to.equal(201);
    const refused = await send(bob, '/api/media/upload', 10 * kilo);
    expect(refused.body).to.include({ code: 'QUOTA_EXCEEDED', quota: 'account', leftBytes: 2 * kilo });
    await set(server.id, 2 ** 20);
    expect((await ofServer()).quotaBytes).to.equal(2 ** 20);
    await set(bob.id, 10 ** 6);
    const stored = await query<{ bytes: number }>(cluster.databaseUrl, 'SELECT sum(size)::float AS bytes FROM blobs');
    await set(NIL, (stored[0]?.bytes ?? 0) + 15 * kilo);
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, at) => send(at % 2 ? alice : bob, '/api/media/upload', 10 * kilo)),
    );
    await query(cluster.databaseUrl, 'DELETE FROM storage_quotas');
    expect(answers.filter(({ status }) => status === 201).length).to.be.at.most(1);
    const full = answers.find(({ status }) => status !== 201)?.body;
    expect(full).to.include({ code: 'QUOTA_EXCEEDED', quota: 'installation' }).and.not.to.have.property('totalBytes');
  });

  it('let nobody fill the store by deleting and storing again', async () => {
    const { alice } = here;
    await set(alice.id, 20 * kilo);
    const sendAndDelete = async (): Promise<Loose> => {
      const { status, body } = await send(alice, '/api/media/upload', 15 * kilo);
      if (status === 201) await alice.delete(`/api/messages/${(await say(alice, body)).body.id}`);
      return { ...body, status };
    };
    expect((await sendAndDelete()).status).to.equal(201);
    expect((await sendAndDelete()).status).to.equal(201);
    await sumUp();
    expect(await sendAndDelete()).to.include({ status: 413, quota: 'account', leftBytes: 10 * kilo });
    expect((await own(alice)).usedBytes).to.equal(0);
    await query(cluster.databaseUrl, `UPDATE storage_usage SET gone_since = now() - interval '2 hours'`);
    expect((await sendAndDelete()).status).to.equal(201);
  });

  it('come to count what was stored by versions that did not', async () => {
    const { alice, bob, server } = here;
    await say(bob, await upload(bob, 10 * kilo));
    await send(alice, `/api/servers/${server.id}/workspace/upload`, 7 * kilo);
    await alice.post(`/api/servers/${server.id}/apps`, {
      name: 'page',
      type: 'html',
      htmlContent: 'x'.repeat(3 * kilo),
    });
    const tables = ['attachments', 'pictures', 'workspace_nodes', 'app_files', 'blobs'];
    // No node counts in between.
    await query(cluster.databaseUrl, 'DELETE FROM storage_backfills');
    for (const table of tables) await query(cluster.databaseUrl, `UPDATE ${table} SET is_counted = false`);
    await query(cluster.databaseUrl, 'UPDATE attachments SET server_id = NULL');
    expect((await ofServer()).usedBytes).to.equal(0);
    const again = `INSERT INTO storage_backfills (counted) VALUES ($1) ON CONFLICT (counted) DO UPDATE SET reached = ''`;
    for (const table of tables) await query(cluster.databaseUrl, again, [table]);
    // A chore of a node may be at it, too.
    await until(async () => {
      const left = await withRows(cluster.databaseUrl, async (rows) => {
        await countOlder(rows);
        return rows('SELECT FROM storage_backfills');
      });
      return left.length === 0;
    });
    expect((await ofServer()).usedBytes).to.equal(20 * kilo);
    await compare();
  });
});

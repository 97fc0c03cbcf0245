import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { Unread } from '../rig/unread.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('a workspace with much in it', () => {
  let cluster: Cluster;
  let database: pg.Client;
  before(async () => {
    const workspace = { quotaBytes: 1000, maxNodes: 12_000, maxDepth: 32 };
    cluster = await startCluster({ settings: { workspace } });
    database = new pg.Client(cluster.databaseUrl);
    await database.connect();
  });
  after(async () => {
    await database.end();
    await cluster.stop();
  });

  let here: World;
  let base: string;
  beforeEach(async () => {
    here = await world(cluster);
    base = `/api/servers/${here.server.id}/workspace`;
  });
  afterEach(() => here.close());

  /** Fills a folder with so many folders of a hundred files each, past the interface. */
  async function fill(folders: number): Promise<Loose> {
    const top = (await here.alice.post(`${base}/folders`, { name: 'large' })).body;
    await database.query(
      `WITH folders AS (
         INSERT INTO workspace_nodes (id, workspace_id, parent_id, kind, name, created_at, updated_at)
         SELECT gen_random_uuid(), $1, $2, 'dir', 'd' || i, now(), now() FROM generate_series(1, $3::int) i RETURNING id
       )
       INSERT INTO workspace_nodes (id, workspace_id, parent_id, kind, name, created_at, updated_at)
       SELECT gen_random_uuid(), $1, folders.id, 'file', 'f' || i, now(), now() FROM folders, generate_series(1, 99) i`,
      [top.workspaceId, top.id, folders],
    );
    await database.query('UPDATE workspaces SET folder_count = $2 + 1, file_count = $2 * 99 WHERE id = $1', [
      top.workspaceId,
      folders,
    ]);
    return top;
  }

  it('shows all of a large folder, and to so many at once as a person may read', async () => {
    const top = (await here.alice.post(`${base}/folders`, { name: 'wide' })).body;
    await database.query(
      `INSERT INTO workspace_nodes (id, workspace_id, parent_id, kind, name, created_at, updated_at)
       SELECT gen_random_uuid(), $1, $2, 'file', lpad(i::text, 5, '0') || repeat('x', 200), now(), now()
       FROM generate_series(1, 30000) i`,
      [top.workspaceId, top.id],
    );
    const path = `${base}/children?parentId=${top.id}`;
    const names = (await here.bob.get(path)).body.map(({ name }: Loose) => name.slice(0, 5));
    expect(names).to.deep.equal(Array.from({ length: 30_000 }, (_, i) => String(i + 1).padStart(5, '0')));
    const { body } = await here.bob.post(`${base}/children/batch`, { parentIds: [null, top.id] });
    expect([body.__ROOT__.map(({ id }: Loose) => id), body[top.id].length]).to.deep.equal([[top.id], 30_000]);
    // Whoever asks for the head alone gives the place back as well.
    const headers = { authorization: `Bearer ${here.bob.token}` };
    for (const at of [path, `${base}/tree`, `${base}/download`]) {
      for (let i = 0; i < 6; i++) {
        const { status } = await fetch(here.bob.node.url + at, { method: 'HEAD', headers });
        expect(status, at).to.equal(200);
      }
    }
    const unread = new Unread();
    const read = async (at: string) => {
      const headers = { authorization: `Bearer ${here.bob.token}`, 'accept-encoding': 'identity' };
      return (await unread.fetch(here.bob.node.url + at, { headers })).status;
    };
    for (const at of [path, `${base}/tree`, path, path]) expect(await read(at)).to.equal(200);
    expect(await read(path)).to.equal(429);
    expect(await read(`${base}/children`)).to.equal(200);
    unread.leave();
    await until(async () => (await read(path)) === 200, { message: 'no place is free again' });
    unread.leave();
  });

  it('shows 10 000 nodes, copies and deletes them while others go on', async () => {
    const top = await fill(100);
    const tree = await here.bob.get(`${base}/tree`);
    expect(tree.body[0].children).to.have.lengthOf(100);
    expect(tree.body[0].children[0].children).to.have.lengthOf(99);
    const other = await world(cluster);
    let deleted = false;
    const deleting = here.alice.delete(`${base}/folders/${top.id}`).then((answer) => {
      deleted = true;
      return answer;
    });
    let rounds = 0;
    for (; !deleted || rounds < 3; rounds++) {
      const [theirs, ours] = await Promise.all([
        other.alice.post(`/api/servers/${other.server.id}/workspace/folders`, { name: `f${rounds}` }),
        here.bob.get(`${base}/stats`),
      ]);
      expect([theirs.status, ours.status]).to.deep.equal([201, 200]);
    }
    expect((await deleting).status).to.equal(200);
    expect((await here.bob.get(base)).body).to.include({ folderCount: 0, fileCount: 0 });
    other.close();
  });

  it('takes no more nodes than it may have, also by copying', async () => {
    const top = await fill(100);
    const paste = { nodeIds: [top.id], targetParentId: null, mode: 'copy' };
    const refused = await here.alice.post(`${base}/nodes/paste`, paste);
    expect([refused.status, refused.body.code]).to.deep.equal([413, 'QUOTA_EXCEEDED']);
    expect((await here.bob.get(base)).body.totalCount).to.equal(10_001);
  });

  it('stores no text of who may not write there', async () => {
    const content = 'z'.repeat(777);
    const { id } = (await here.alice.post(`${base}/files`, { name: 'hers', content: '' })).body;
    const commands = [{ type: 'create-file', parentId: null, name: 'x', content }];
    for (const answer of [
      await here.carol.post(`${base}/files`, { name: 'x', content }),
      await here.carol.patch(`${base}/files/${id}`, { content }),
      await here.carol.post(`${base}/commands`, { commands }),
    ]) {
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    }
    expect((await database.query('SELECT FROM blobs WHERE size = 777')).rowCount).to.equal(0);
  });

  it('takes no more bytes than its quota, whatever the way', async () => {
    const make = (name: string, size: number) => here.alice.post(`${base}/files`, { name, content: 'x'.repeat(size) });
    const first = (await make('a', 600)).body;
    const over = await make('b', 401);
    expect([over.status, over.body.code]).to.deep.equal([413, 'QUOTA_EXCEEDED']);
    expect(over.body).to.include({ totalBytes: 600, quotaBytes: 1000 });
    expect((await here.bob.post(`${base}/files/${first.id}/clone`)).status).to.equal(413);
    expect((await here.bob.patch(`${base}/files/${first.id}`, { content: 'x'.repeat(1001) })).status).to.equal(413);
    const form = new FormData();
    form.append('file', new File(['y'.repeat(402)], 'c'));
    const headers = { authorization: `Bearer ${here.alice.token}` };
    const upload = await fetch(`${here.alice.node.url}${base}/upload`, { method: 'POST', body: form, headers });
    expect(upload.status).to.equal(413);
    expect(await upload.json()).to.include({ code: 'QUOTA_EXCEEDED', totalBytes: 600, quotaBytes: 1000 });
    const left = await database.query('SELECT FROM blobs WHERE hash IS NULL OR size = 402');
    expect(left.rowCount, 'the upload that was refused is stored').to.equal(0);
    const races = await Promise.all(Array.from({ length: 6 }, (_, i) => make(`r${i}`, 100)));
    expect(races.filter(({ status }) => status === 201)).to.have.lengthOf(4);
    expect((await make('empty', 0)).status).to.equal(201);
    expect((await here.bob.get(`${base}/stats`)).body).to.include({ totalBytes: 1000, fileCount: 6 });
    await here.alice.delete(`${base}/files/${first.id}`);
    expect((await make('now', 600)).status).to.equal(201);
  });

  it('lists up to 20 changes in an event, and says when there are more', async () => {
    const ear = await here.bob.connect();
    const commands = Array.from({ length: 30 }, (_, i) => ({ type: 'create-folder', name: `f${i}` }));
    await here.alice.post(`${base}/commands`, { commands });
    const told = await ear.next('workspace:changed');
    expect(told.nodes).to.have.lengthOf(20);
    expect(told.complete).to.equal(false);
  });

  it('of a large server tells those of its changes who had it open', async () => {
    const people = Array.from({ length: 250 }, () => [randomUUID(), `m${randomUUID()}`]);
    await database.query(
      `WITH people AS (SELECT * FROM unnest($1::uuid[], $2::text[]) AS person (id, name)), made AS (
         INSERT INTO users (id, username, username_key, display_name, tier, created_at, updated_at)
         SELECT id, name, name, name, 'member', now(), now() FROM people RETURNING id
       ), streams AS (INSERT INTO streams (id, kind) SELECT id, 'user' FROM people)
       INSERT INTO server_members (server_id, user_id, role, joined_at) SELECT $3, id, 'member', now() FROM made`,
      [people.map(([id]) => id), people.map(([, name]) => name), here.server.id],
    );
    await database.query('UPDATE servers SET member_count = member_count + 250 WHERE id = $1', [here.server.id]);
    const [looking, absent] = [await here.bob.connect(), await here.alice.connect()];
    await here.bob.get(`${base}/tree`);
    await here.alice.post(`${base}/folders`, { name: 'seen' });
    expect((await looking.next('workspace:changed')).nodes[0].name).to.equal('seen');
    await here.alice.get(base);
    await here.alice.post(`${base}/folders`, { name: 'seen too' });
    await until(() => absent.all('workspace:changed').length > 0);
    expect(absent.all('workspace:changed').map((event) => event.nodes[0].name)).to.deep.equal(['seen too']);
    const { rows } = await database.query(
      "SELECT count(*) FROM log_entries WHERE event = 'workspace:changed' AND stream_id = ANY($1)",
      [people.map(([id]) => id)],
    );
    expect(Number(rows[0].count)).to.equal(0);
  });
});

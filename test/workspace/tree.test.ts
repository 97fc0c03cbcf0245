// nodes: one and two

import { expect } from 'chai';
import { type Loose, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('a workspace', () => {
  let here: World;
  let base: string;
  beforeEach(async () => {
    here = await world();
    base = `/api/servers/${here.server.id}/workspace`;
  });
  afterEach(() => here.close());

  const folder = async (name: string, parentId: string | null = null): Promise<Loose> =>
    (await here.alice.post(`${base}/folders`, { name, parentId })).body;
  const file = async (name: string, parentId: string | null = null, content = name): Promise<Loose> =>
    (await here.alice.post(`${base}/files`, { name, parentId, content })).body;
  /** `{ docs: { 'a.txt': null } }` */
  const shape = (nodes: Loose[]): Loose =>
    Object.fromEntries(nodes.map((node) => [node.name, node.kind === 'dir' ? shape(node.children) : null]));
  const tree = async (who = here.bob) => shape((await who.get(`${base}/tree`)).body);

  it('is there for every server, one for all who come at once, by id and by slug', async () => {
    const { alice, bob, server } = here;
    const answers = await Promise.all([alice, bob, alice, bob].map((who) => who.get(base)));
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
    expect(answers[0]?.body).to.include({ serverId: server.id, folderCount: 0, fileCount: 0, totalBytes: 0 });
    const renamed = await bob.patch(`/api/servers/${server.slug}/workspace`, { name: 'Desk' });
    expect(renamed.body).to.include({ id: answers[0]?.body.id, name: 'Desk' });
    expect((await alice.get(base)).body.name).to.equal('Desk');
  });

  it('is for members only', async () => {
    const { bob, carol, server } = here;
    const made = await folder('a');
    for (const answer of [
      await carol.get(base),
      await carol.get(`${base}/tree`),
      await carol.post(`${base}/folders`, { name: 'x' }),
      await carol.delete(`${base}/folders/${made.id}`),
      await carol.get(`${base}/download`),
    ]) {
      expect(answer.status).to.equal(404);
      expect(answer.body.code).to.equal('SERVER_NOT_FOUND');
    }
    expect((await request(bob.node, 'GET', base)).status).to.equal(401);
    await bob.post(`/api/servers/${server.id}/leave`);
    expect((await bob.get(`${base}/tree`)).status).to.equal(404);
  });

  it('holds nothing of another server', async () => {
    const other = await world(here.cluster);
    const theirs = await other.alice.post(`/api/servers/${other.server.id}/workspace/folders`, { name: 'theirs' });
    const foreign = theirs.body.id;
    const mine = await file('mine.txt');
    expect((await here.alice.get(`${base}/children?parentId=${foreign}`)).body.code).to.equal('FOLDER_NOT_FOUND');
    expect((await here.alice.post(`${base}/folders`, { name: 'x', parentId: foreign })).status).to.equal(404);
    expect((await here.alice.patch(`${base}/folders/${foreign}`, { name: 'x' })).status).to.equal(404);
    expect((await here.alice.delete(`${base}/folders/${foreign}`)).status).to.equal(404);
    const paste = { nodeIds: [foreign], targetParentId: null, mode: 'copy' };
    expect((await here.alice.post(`${base}/nodes/paste`, paste)).body.code).to.equal('NODE_NOT_FOUND');
    const move = { commands: [{ type: 'move', nodeId: mine.id, parentId: foreign }] };
    expect((await here.alice.post(`${base}/commands`, move)).body.code).to.equal('FOLDER_NOT_FOUND');
    const batch = await here.alice.post(`${base}/children/batch`, { parentIds: [foreign, null] });
    expect(batch.body[foreign]).to.deep.equal([]);
    expect(batch.body.__ROOT__.map((node: Loose) => node.id)).to.deep.equal([mine.id]);
    other.close();
  });

  it('shows folders and files as a tree, as children, in batches, by name and in numbers', async () => {
    const docs = await folder('Docs');
    const deep = await folder('deep', docs.id);
    const readme = await file('read me.MD', deep.id, 'hello');
    await file('b.txt');
    await file('a.txt');
    expect(docs).to.include({ kind: 'dir', parentId: null, path: '/Docs', ext: null, sizeBytes: 0, name: 'Docs' });
    expect(readme).to.include({
      kind: 'file',
      parentId: deep.id,
      path: '/Docs/deep/read me.MD',
      ext: '.MD',
      mime: 'text/markdown',
      sizeBytes: 5,
      createdBy: here.alice.id,
    });
    expect(JSON.stringify(await tree())).to.equal(
      JSON.stringify({ Docs: { deep: { 'read me.MD': null } }, 'a.txt': null, 'b.txt': null }),
    );
    const whole = (await here.bob.get(`${base}/tree`)).body;
    expect(whole[0].children[0].children[0]).to.deep.equal(readme);
    const names = async (query: string) =>
      (await here.bob.get(`${base}/${query}`)).body.map((node: Loose) => node.path);
    expect(await names('children')).to.deep.equal(['/Docs', '/a.txt', '/b.txt']);
    expect(await names(`children?parentId=${deep.id}`)).to.deep.equal(['/Docs/deep/read me.MD']);
    expect(await names('files/search?query=D%20m')).to.deep.equal(['/Docs/deep/read me.MD']);
    expect(await names('files/search?searchText=.txt')).to.deep.equal(['/a.txt', '/b.txt']);
    expect(await names('files/search?query=%25')).to.deep.equal([]);
    expect(await names('folders/search?query=d')).to.deep.equal(['/Docs', '/Docs/deep']);
    const batch = (await here.bob.post(`${base}/children/batch`, { parentIds: [docs.id, deep.id, null] })).body;
    expect(Object.keys(batch)).to.have.members([docs.id, deep.id, '__ROOT__']);
    expect(batch[docs.id].map((node: Loose) => node.id)).to.deep.equal([deep.id]);
    const stats = (await here.bob.get(`${base}/stats`)).body;
    expect(stats).to.include({ folderCount: 2, fileCount: 3, totalCount: 5, totalBytes: 15 });
  });

  it('keeps names as they are typed, in every script, but composes characters', async () => {
    const names = [
      'Ünïcode',
      'ünïcode',
      '日本語',
      '👩‍👩‍👧‍👦',
      'مرحبا',
      ' x ',
      '.env',
      '...',
      'a%2Fb',
      '__proto__',
      "'; --",
    ];
    for (const name of names) expect((await folder(name)).name).to.equal(name);
    expect((await folder('U\u0308ni\u0308code')).name).to.equal('Ünïcode (1)');
    names.push('Ünïcode (1)');
    expect(Object.keys(await tree())).to.have.members(names);
    expect((await here.alice.get(`${base}/stats`)).body.folderCount).to.equal(names.length);
  });

  it('refuses names that are none', async () => {
    // 256 UTF-16 units, however many characters they are.
    const tooLong = ['x'.repeat(256), '😀'.repeat(128)];
    for (const name of ['', '   ', '.', '..', 'a/b', 'a\\b', 'a\0b', 'a\nb', ...tooLong, '\ud800', null, 7]) {
      const answers = await Promise.all([
        here.alice.post(`${base}/folders`, { name }),
        here.alice.post(`${base}/files`, { name, content: '' }),
        here.alice.post(`${base}/commands`, { commands: [{ type: 'create-folder', name }] }),
      ]);
      for (const { status, body } of answers) {
        expect(status, JSON.stringify(name)).to.equal(400);
        expect(body.code).to.equal('VALIDATION_FAILED');
      }
    }
    expect((await folder('x'.repeat(255))).name).to.have.lengthOf(255);
  });

  it('gives a name that is taken a number, and refuses it when renaming', async () => {
    const made = [];
    for (let i = 0; i < 3; i++) made.push((await file('a.txt')).name, (await folder('v1.2')).name);
    expect(made).to.deep.equal(['a.txt', 'v1.2', 'a (1).txt', 'v1.2 (1)', 'a (2).txt', 'v1.2 (2)']);
    const long = 'y'.repeat(251);
    expect((await file(`${long}.txt`)).name).to.equal(`${long}.txt`);
    expect((await file(`${long}.txt`)).name).to.equal(`${'y'.repeat(247)} (1).txt`);
    expect((await file(`${long}.txt`)).name).to.equal(`${'y'.repeat(247)} (2).txt`);
    const endless = `x.${'e'.repeat(251)}`;
    await file(endless);
    expect((await file(endless)).name).to.equal(`${endless.slice(0, 251)} (1)`);
    const other = await file('other.txt');
    const clash = await here.bob.patch(`${base}/files/${other.id}`, { name: 'a.txt' });
    expect(clash.status).to.equal(409);
    expect(clash.body.code).to.equal('NAME_TAKEN');
    expect((await here.bob.patch(`${base}/files/${other.id}`, { name: 'A.txt' })).body.name).to.equal('A.txt');
    expect((await here.bob.patch(`${base}/files/${other.id}`, { name: 'A.txt' })).status).to.equal(200);
  });

  it('can be 32 folders deep, with files on top', async () => {
    let parentId: string | null = null;
    for (let depth = 1; depth <= 32; depth++) parentId = (await folder(`d${depth}`, parentId)).id;
    const over = await here.alice.post(`${base}/folders`, { name: 'over', parentId });
    expect(over.body.code).to.equal('FOLDER_TOO_DEEP');
    expect((await file('on top.txt', parentId)).path).to.match(/^(\/d\d+){32}\/on top.txt$/);
    const pair = await folder('pair');
    await folder('inner', pair.id);
    const paste = { nodeIds: [pair.id], targetParentId: parentId, mode: 'cut' };
    expect((await here.alice.post(`${base}/nodes/paste`, paste)).body.code).to.equal('FOLDER_TOO_DEEP');
    expect((await here.alice.post(`${base}/nodes/paste`, { ...paste, mode: 'copy' })).status).to.equal(400);
  });

  it('deletes a folder with all that is in it', async () => {
    const docs = await folder('docs');
    const inner = await folder('inner', docs.id);
    const gone = await file('x.txt', inner.id, 'four');
    await file('kept.txt', null, 'kept');
    expect((await here.bob.delete(`${base}/files/${docs.id}`)).body.code).to.equal('FILE_NOT_FOUND');
    expect((await here.bob.delete(`${base}/folders/${gone.id}`)).body.code).to.equal('FOLDER_NOT_FOUND');
    expect((await here.bob.delete(`${base}/folders/${docs.id}`)).body).to.deep.equal({ ok: true, success: true });
    expect((await here.bob.get(`${base}/files/${gone.id}`)).status).to.equal(404);
    expect((await here.bob.delete(`${base}/folders/${docs.id}`)).status).to.equal(404);
    const stats = (await here.alice.get(`${base}/stats`)).body;
    expect(stats).to.include({ folderCount: 0, fileCount: 1, totalBytes: 4 });
  });

  it('tells every member of each change, in order, and nobody else', async () => {
    const [ear, stranger] = [await here.bob.connect(), await here.carol.connect()];
    const docs = await folder('docs');
    const note = await file('note.txt', docs.id);
    await here.alice.patch(`${base}/files/${note.id}`, { name: 'n.txt' });
    await here.alice.delete(`${base}/folders/${docs.id}`);
    await ear.next('workspace:changed', (event) => event.deletedIds.length > 0);
    const told = ear.all('workspace:changed');
    expect(told.map((event) => [event.nodes.map((node: Loose) => node.path), event.deletedIds])).to.deep.equal([
      [['/docs'], []],
      [['/docs/note.txt'], []],
      [['/docs/n.txt'], []],
      [[], [docs.id]],
    ]);
    expect(told[0].nodes[0]).to.deep.equal(docs);
    for (const event of told) expect(event).to.include({ serverId: here.server.id, complete: true });
    expect(stranger.all('workspace:changed')).to.be.empty;
  });

  it('answers an Idempotency-Key with the first folder', async () => {
    const send = () => here.alice.post(`${base}/folders`, { name: 'once' }, { 'idempotency-key': 'k1' });
    const [first, second] = await Promise.all([send(), send()]);
    expect(first.body.id).to.equal(second.body.id);
    expect(await tree()).to.deep.equal({ once: {} });
  });
});

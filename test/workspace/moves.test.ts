import { expect } from 'chai';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('moving and copying in a workspace', () => {
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
  const shape = (nodes: Loose[]): Loose =>
    Object.fromEntries(nodes.map((node) => [node.name, node.kind === 'dir' ? shape(node.children) : null]));
  const tree = async () => shape((await here.bob.get(`${base}/tree`)).body);
  const paste = (nodeIds: string[], targetParentId: string | null, mode: string) =>
    here.bob.post(`${base}/nodes/paste`, { nodeIds, targetParentId, mode });
  const commands = (list: object[]) => here.bob.post(`${base}/commands`, { commands: list });

  it('copies whole folders, with new ids for everything', async () => {
    const docs = await folder('docs');
    const inner = await folder('inner', docs.id);
    const note = await file('note.txt', inner.id, 'text');
    const target = await folder('target');
    const { body } = await paste([docs.id], target.id, 'copy');
    expect(body.nodes.map((node: Loose) => node.path)).to.deep.equal(['/target/docs']);
    expect(body.createdFolderIds).to.have.lengthOf(2).and.not.include(docs.id);
    expect(body.createdFileIds).to.have.lengthOf(1).and.not.include(note.id);
    const copy = await here.alice.get(`${base}/files/${body.createdFileIds[0]}`);
    expect(copy.body).to.include({ content: 'text', path: '/target/docs/inner/note.txt', createdBy: here.bob.id });
    expect((await paste([docs.id], null, 'copy')).body.nodes[0].name).to.equal('docs (1)');
    const stats = (await here.alice.get(`${base}/stats`)).body;
    expect(stats).to.include({ folderCount: 7, fileCount: 3, totalBytes: 12 });
    // A change of one is no change of the other.
    await here.alice.patch(`${base}/files/${note.id}`, { content: 'other' });
    expect((await here.alice.get(`${base}/files/${body.createdFileIds[0]}`)).body.content).to.equal('text');
  });

  it('cuts and keeps the ids; what is inside another goes with it', async () => {
    const [docs, target] = [await folder('docs'), await folder('target')];
    const note = await file('note.txt', docs.id);
    await file('note.txt', target.id);
    const moved = await paste([note.id, docs.id, note.id], target.id, 'move');
    expect(moved.body).to.deep.include({ createdFolderIds: [], createdFileIds: [] });
    expect(moved.body.nodes.map((node: Loose) => node.id)).to.deep.equal([docs.id]);
    expect(await tree()).to.deep.equal({ target: { docs: { 'note.txt': null }, 'note.txt': null } });
    const clash = await paste([note.id], target.id, 'cut');
    expect(clash.body.nodes[0]).to.include({ id: note.id, name: 'note (1).txt' });
    expect((await paste([note.id], target.id, 'cut')).body.nodes[0].name).to.equal('note (1).txt');
  });

  it('puts no folder into itself', async () => {
    const outer = await folder('outer');
    const inner = await folder('inner', outer.id);
    for (const answer of [
      await paste([outer.id], inner.id, 'cut'),
      await paste([outer.id], outer.id, 'cut'),
      await paste([outer.id], inner.id, 'copy'),
      await commands([{ type: 'move', nodeId: outer.id, parentId: inner.id }]),
      await here.bob.patch(`${base}/folders/${outer.id}`, { parentId: inner.id }),
    ]) {
      expect(answer.status).to.equal(400);
      expect(answer.body.code).to.equal('FOLDER_INTO_ITSELF');
    }
    const note = await file('note.txt', inner.id);
    expect((await paste([outer.id], note.id, 'cut')).body.code).to.equal('FOLDER_NOT_FOUND');
  });

  it('runs commands in all their spellings, one result for each', async () => {
    const docs = await folder('docs');
    const note = await file('note.txt');
    const { body } = await commands([
      { type: 'create-folder', name: 'new', parentId: docs.id },
      { action: 'create-file', name: 'made.txt', content: 'made' },
      { type: 'rename', nodeId: note.id, name: 'renamed.txt' },
      { action: 'move', fileId: note.id, targetParentId: docs.id },
      { type: 'update-file', fileId: note.id, content: 'updated' },
      { type: 'rename', folderId: docs.id, name: 'Docs' },
      { type: 'create-file', name: 'gone.txt' },
    ]);
    expect(body.map((result: Loose) => [result.type, result.ok, result.node.name])).to.deep.equal([
      ['create-folder', true, 'new'],
      ['create-file', true, 'made.txt'],
      ['rename', true, 'renamed.txt'],
      ['move', true, 'renamed.txt'],
      ['update-file', true, 'renamed.txt'],
      ['rename', true, 'Docs'],
      ['create-file', true, 'gone.txt'],
    ]);
    expect(body[3].node.path).to.equal('/Docs/renamed.txt');
    expect((await here.bob.get(`${base}/files/${note.id}`)).body.content).to.equal('updated');
    const gone = await commands([{ type: 'delete', nodeId: body[6].nodeId }]);
    expect(gone.body).to.deep.equal([{ ok: true, type: 'delete', nodeId: body[6].nodeId, node: null }]);
  });

  it('runs all commands or none, and says which one failed', async () => {
    const docs = await folder('docs');
    const before = (await here.bob.get(base)).body;
    const ear = await here.bob.connect();
    const failed = await commands([
      { type: 'create-file', name: 'a.txt', content: 'a' },
      { type: 'delete', nodeId: docs.id },
      { type: 'rename', nodeId: docs.id, name: 'late' },
    ]);
    expect(failed.status).to.equal(404);
    expect(failed.body).to.include({ code: 'NODE_NOT_FOUND', index: 2 });
    expect(await tree()).to.deep.equal({ docs: {} });
    expect((await here.bob.get(base)).body).to.deep.equal(before);
    for (const [list, path] of [
      [[{ type: 'rename', name: 'x' }], 'commands.0.nodeId'],
      [[{ type: 'rename', nodeId: docs.id }], 'commands.0.name'],
      [[{ name: 'x' }], 'commands.0.type'],
      [[{ type: 'format-disk' }], 'commands.0.type'],
      [[{ type: 'update-file', nodeId: docs.id }], 'commands.0.content'],
      [[], 'commands'],
    ] as const) {
      const { status, body } = await commands([...list]);
      expect(status).to.equal(400);
      expect(body.issues[0].path).to.equal(path);
    }
    const one = await commands([
      { type: 'create-folder', name: 'one' },
      { type: 'create-folder', name: 'two' },
      { type: 'rename', nodeId: docs.id, name: 'last' },
    ]);
    expect(one.status).to.equal(200);
    const told = await ear.next('workspace:changed');
    expect(told.nodes).to.have.lengthOf(3);
    expect(ear.all('workspace:changed')).to.have.lengthOf(1);
  });

  it('tells enough of folders for a tree to be kept true by events alone', async () => {
    const ear = await here.alice.connect();
    const [docs, other] = [await folder('docs'), await folder('other')];
    const inner = await folder('inner', docs.id);
    const note = await file('note.txt', inner.id);
    await paste([docs.id], other.id, 'copy');
    await paste([inner.id], other.id, 'cut');
    await here.bob.patch(`${base}/folders/${other.id}`, { name: 'another' });
    await paste([other.id], null, 'copy');
    await commands([
      { type: 'move', nodeId: docs.id, parentId: inner.id },
      { type: 'move', nodeId: note.id, parentId: null },
      { type: 'delete', nodeId: inner.id },
    ]);
    const last = await folder('last');
    await ear.next('workspace:changed', ({ nodes }) => nodes.some(({ id }: Loose) => id === last.id));
    const kept = new Map<string, Loose>();
    const forget = (id: string) => {
      kept.delete(id);
      for (const node of kept.values()) if (node.parentId === id) forget(node.id);
    };
    for (const { nodes, deletedIds, complete } of ear.all('workspace:changed')) {
      expect(complete).to.equal(true);
      for (const node of nodes) kept.set(node.id, node);
      for (const id of deletedIds) forget(id);
    }
    const flat = (nodes: Loose[]): string[] =>
      nodes.flatMap(({ id, parentId, name, children }) => [`${parentId} ${id} ${name}`, ...flat(children ?? [])]);
    const { body } = await here.bob.get(`${base}/tree`);
    expect(flat([...kept.values()]).sort()).to.deep.equal(flat(body).sort());
    expect(flat(body)).to.have.lengthOf(12);
  });

  it('says of a copy with more in it than an event lists that there is more', async () => {
    const big = await folder('big');
    await commands(Array.from({ length: 20 }, (_, i) => ({ type: 'create-folder', name: `f${i}`, parentId: big.id })));
    const ear = await here.alice.connect();
    const { body } = await paste([big.id], null, 'copy');
    expect(body.nodes[0].name).to.equal('big (1)');
    const { nodes, complete } = await ear.next('workspace:changed');
    expect([nodes.length, complete]).to.deep.equal([20, false]);
  });

  it('keeps a tree a tree when two people move folders into each other at once', async () => {
    const [left, right] = [await folder('left'), await folder('right')];
    for (let round = 0; round < 15; round++) {
      const moves = await Promise.all([
        here.alice.patch(`${base}/folders/${left.id}`, { parentId: right.id }),
        here.bob.patch(`${base}/folders/${right.id}`, { parentId: left.id }),
      ]);
      expect(moves.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
      const [root, ...others] = (await here.alice.get(`${base}/tree`)).body;
      expect(others).to.be.empty;
      expect(root.children).to.have.lengthOf(1);
      for (const id of [left.id, right.id]) await here.alice.patch(`${base}/folders/${id}`, { parentId: null });
    }
  });

  it('gives each of many who make the same at once a name of its own', async () => {
    const make = (i: number) =>
      (i % 2 ? here.alice : here.bob).post(`${base}/files`, { name: 'a.txt', content: `${i}` });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => make(i)));
    const expected = ['a.txt', ...Array.from({ length: 19 }, (_, i) => `a (${i + 1}).txt`)];
    expect(answers.map(({ body }) => body.name)).to.have.members(expected);
    const [first, second] = [answers[0]?.body, answers[1]?.body];
    const renames = await Promise.all([
      here.alice.patch(`${base}/files/${first.id}`, { name: 'wanted' }),
      here.bob.patch(`${base}/files/${second.id}`, { name: 'wanted' }),
    ]);
    expect(renames.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect((await here.bob.get(`${base}/stats`)).body.fileCount).to.equal(20);
  });
});

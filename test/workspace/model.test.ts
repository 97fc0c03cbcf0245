import { expect } from 'chai';
import { isLong } from '../rig/long.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** What a workspace should be: the same rules, in the plainest form. */
class Model {
  readonly nodes = new Map<string, { name: string; parentId: string | null; content: string | null }>();

  inside(parentId: string | null) {
    return [...this.nodes].filter(([, node]) => node.parentId === parentId);
  }

  subtree(id: string): string[] {
    return [id, ...this.inside(id).flatMap(([child]) => this.subtree(child))];
  }

  freeName(name: string, parentId: string | null, isFolder: boolean): string {
    const taken = new Set(this.inside(parentId).map(([, node]) => node.name));
    const dot = isFolder ? -1 : name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    for (let i = 0; ; i++) {
      const candidate = i === 0 ? name : `${stem} (${i})${extension}`;
      if (!taken.has(candidate)) return candidate;
    }
  }

  shape(parentId: string | null = null): Loose {
    return this.inside(parentId)
      .map(([id, { name, content }]) => ({ id, name, content, children: this.shape(id) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  stats() {
    const all = [...this.nodes.values()];
    const files = all.flatMap((node) => (node.content === null ? [] : [node.content]));
    const totalBytes = files.reduce((sum, content) => sum + Buffer.byteLength(content), 0);
    return { folderCount: all.length - files.length, fileCount: files.length, totalBytes };
  }
}

const operationCount = isLong ? 300 : 150;

describe(`a workspace after ${operationCount} random operations`, () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const seed = seedOfRun();

  it(`is what a plain model of it says (PARLEY_SEED=${seed})`, async () => {
    const base = `/api/servers/${here.server.id}/workspace`;
    const random = randomOf(seed);
    const model = new Model();
    const ear = await here.bob.connect();
    const names = ['a', 'b', 'c.txt', 'd.txt', 'ü 日本.md', '👩‍👩‍👧‍👦', '.env', 'e.tar.gz'];
    const pick = <T>(list: T[]): T | undefined => list[random(list.length)];
    const ids = (folders: boolean) =>
      [...model.nodes].filter(([, node]) => (node.content === null) === folders).map(([id]) => id);
    const place = () => (random(4) === 0 ? null : (pick(ids(true)) ?? null));
    const adopt = (node: Loose, content: string | null, parentId: string | null) => {
      expect(node.name).to.equal(model.freeName(node.name.replace(/ \(\d+\)/, ''), parentId, content === null));
      model.nodes.set(node.id, { name: node.name, parentId, content });
    };

    const operations: ((who: Person) => Promise<void>)[] = [
      async (who) => {
        const [name, parentId] = [pick(names) ?? '', place()];
        const { status, body } = await who.post(`${base}/folders`, { name, parentId });
        if (status === 201) adopt(body, null, parentId);
        else expect(body.code).to.equal('FOLDER_TOO_DEEP');
      },
      async (who) => {
        const [name, parentId, content] = [pick(names) ?? '', place(), 'x'.repeat(random(30))];
        adopt((await who.post(`${base}/files`, { name, parentId, content })).body, content, parentId);
      },
      async (who) => {
        const [id, name] = [pick([...model.nodes.keys()]), pick(names) ?? ''];
        const node = model.nodes.get(id ?? '');
        if (!id || !node) return;
        const { status } = await who.post(`${base}/commands`, { commands: [{ type: 'rename', nodeId: id, name }] });
        const taken = model.inside(node.parentId).some(([other, { name: its }]) => other !== id && its === name);
        expect(status).to.equal(taken ? 409 : 200);
        if (!taken) node.name = name;
      },
      async (who) => {
        const [id, target] = [pick([...model.nodes.keys()]), place()];
        const node = model.nodes.get(id ?? '');
        if (!id || !node) return;
        const paste = { nodeIds: [id], targetParentId: target, mode: 'cut' };
        const { status } = await who.post(`${base}/nodes/paste`, paste);
        const circle = target !== null && node.parentId !== target && model.subtree(id).includes(target);
        expect(status).to.equal(circle ? 400 : 200);
        if (circle || node.parentId === target) return;
        node.name = model.freeName(node.name, target, node.content === null);
        node.parentId = target;
      },
      async (who) => {
        const [id, target] = [pick([...model.nodes.keys()]), place()];
        if (!id || model.nodes.size > 150) return;
        const { status, body } = await who.post(`${base}/nodes/paste`, { nodeIds: [id], targetParentId: target });
        if (target !== null && model.subtree(id).includes(target)) {
          expect(status).to.equal(400);
          return;
        }
        const made = [...body.createdFolderIds, ...body.createdFileIds];
        expect(made).to.have.lengthOf(model.subtree(id).length);
        await copyInto(id, body.nodes[0].id, target);
      },
      async (who) => {
        const id = pick(ids(false));
        const node = model.nodes.get(id ?? '');
        if (!id || !node) return;
        node.content = 'y'.repeat(random(50));
        await who.patch(`${base}/files/${id}`, { content: node.content });
      },
      async (who) => {
        const id = pick([...model.nodes.keys()]);
        if (!id || random(3) > 0) return;
        await who.post(`${base}/commands`, { commands: [{ type: 'delete', nodeId: id }] });
        for (const gone of model.subtree(id)) model.nodes.delete(gone);
      },
    ];

    /** The model learns the new ids by looking for the names. */
    const copyInto = async (from: string, to: string, parentId: string | null) => {
      const original = model.nodes.get(from);
      if (!original) throw new Error('no original');
      const name = model.freeName(original.name, parentId, original.content === null);
      const copies = (await here.alice.get(`${base}/children?parentId=${to}`)).body;
      const inside = model.inside(from);
      model.nodes.set(to, {
        name: parentId === null || inside ? name : original.name,
        parentId,
        content: original.content,
      });
      if (original.content !== null) return;
      expect(copies).to.have.lengthOf(inside.length);
      for (const [child, node] of inside) {
        const copy = copies.find((candidate: Loose) => candidate.name === node.name);
        await copyInto(child, copy.id, to);
      }
    };

    for (let i = 0; i < operationCount; i++) await pick(operations)?.(i % 2 ? here.alice : here.bob);
    const contents = new Map<string, string>();
    for (const id of ids(false)) contents.set(id, (await here.bob.get(`${base}/files/${id}`)).body.content);
    const actual = (nodes: Loose[]): Loose =>
      nodes
        .map(({ id, name, kind, children }) => ({
          id,
          name,
          content: kind === 'dir' ? null : contents.get(id),
          children: actual(children ?? []),
        }))
        .sort((a: Loose, b: Loose) => (a.name < b.name ? -1 : 1));
    expect(actual((await here.alice.get(`${base}/tree`)).body)).to.deep.equal(model.shape());
    expect((await here.bob.get(`${base}/stats`)).body).to.include(model.stats());
    const last = (await here.alice.post(`${base}/folders`, { name: 'the last' })).body;
    await ear.next('workspace:changed', ({ nodes }) => nodes.some(({ id }: Loose) => id === last.id));
    // What the events say about the last state of each node is what it is.
    const told = new Map<string, Loose>();
    for (const event of ear.all('workspace:changed')) for (const node of event.nodes) told.set(node.id, node);
    for (const [id, node] of model.nodes) {
      if (told.has(id)) expect(told.get(id)).to.include({ name: node.name, parentId: node.parentId });
    }
  });
});

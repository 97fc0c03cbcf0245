// nodes: own

import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type NodeRow, treeText } from '../../src/features/workspace/node.view.ts';

const row = (id: string, parentId: string | null, kind: 'dir' | 'file', name: string): NodeRow => ({
  id,
  workspaceId: 'w',
  parentId: parentId,
  kind,
  name,
  mime: null,
  sizeBytes: 0,
  isText: false,
  blobId: null,
  version: 1,
  createdBy: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});

interface Shown {
  name: string;
  path: string;
  children?: Shown[];
}

const told = (nodes: Shown[]): unknown[] =>
  nodes.map(({ path, children }) => (children ? [path, told(children)] : path));

describe('the text of a tree', () => {
  const of = async (rows: NodeRow[]): Promise<unknown[]> => told(JSON.parse(await text(treeText(rows))));

  it('has every node in its folder, whatever order the folders are in', async () => {
    expect(await of([])).to.deep.equal([]);
    const rows = [
      row('a', null, 'dir', 'a'),
      row('c', 'b', 'dir', 'c'),
      row('b', 'a', 'dir', 'b'),
      row('e', null, 'dir', 'empty'),
      row('1', 'c', 'file', '1 "quoted"'),
      row('2', 'a', 'file', '2'),
      row('3', null, 'file', '3'),
      row('4', null, 'file', '4'),
    ];
    expect(await of(rows)).to.deep.equal([
      ['/a', [['/a/b', [['/a/b/c', ['/a/b/c/1 "quoted"']]]], '/a/2']],
      ['/empty', []],
      '/3',
      '/4',
    ]);
  });

  it('is made in pieces, between which others have their turn', async () => {
    const folders = Array.from({ length: 100 }, (_, i) => row(`d${i}`, i % 10 ? `d${i - 1}` : null, 'dir', `d${i}`));
    const files = Array.from({ length: 20_000 }, (_, i) => row(`${i}`, `d${i % 100}`, 'file', `file ${i}`));
    let turn = 0;
    let isOver = false;
    const tick = () => {
      turn++;
      if (!isOver) setImmediate(tick);
    };
    tick();
    const perTurn = new Map<number, number>();
    let whole = '';
    for await (const piece of treeText([...folders, ...files])) {
      perTurn.set(turn, (perTurn.get(turn) ?? 0) + piece.length);
      whole += piece;
    }
    isOver = true;
    expect(Math.max(...perTurn.values())).to.be.at.most(80 * 1024);
    expect(whole.match(/"id":/g)).to.have.lengthOf(20_100);
    expect(() => JSON.parse(whole)).not.to.throw();
  });
});

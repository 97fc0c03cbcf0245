// nodes: own

import { expect } from 'chai';
import {
  Heights,
  piecesOf,
  placesOf,
  type Range,
  rangeAround,
  stepped,
  type View,
} from '../../src/web/app/views/talk/rows.ts';

const many = 1000;
const height = 900;
/** How high each row really is; the list learns it as it draws them. */
const rowHeight = 40;
/** Numbers have gaps: threads take some. */
const list = Array.from({ length: many }, (_, n) => ({ id: `m${n}`, seq: 3 * n + 1 }));
const nobody = new Set<string>();

/** What is drawn lies between `places` of a page that is scrolled so far from the end. */
function viewAt(fromEnd: number, range: Range): View {
  const [first, end] = placesOf(list, range);
  const [top, bottom] = [(many - first) * rowHeight, (many - end) * rowHeight];
  return { above: top - fromEnd - height, below: fromEnd - bottom, height };
}

/** Goes on until everything needed is drawn. @returns the steps */
function settle(start: Range, fromEnd: number, mayDrop = true): Range[] {
  const heights = new Heights();
  for (const { id } of list) heights.note(id, rowHeight);
  const ranges = [start];
  for (;;) {
    const range = ranges.at(-1) ?? start;
    const next = stepped({ list, range, heights, isOpen: true, mayDrop }, viewAt(fromEnd, range));
    if (next === range) return ranges;
    ranges.push(next);
    if (ranges.length > many) throw new Error('It does not come to an end.');
  }
}

const countOf = (range: Range) => {
  const [first, end] = placesOf(list, range);
  return end - first;
};

describe('the messages that are drawn of a list', () => {
  it('are those in view and some beyond it, wherever that is', () => {
    for (const fromEnd of [0, 100, 5000, 17_777, many * rowHeight - height]) {
      const range = settle(rangeAround(list, null, 25, true), fromEnd).at(-1);
      if (!range) throw new Error('unreachable');
      const { above, below } = viewAt(fromEnd, range);
      const [first, end] = placesOf(list, range);
      expect(above >= 900 || first === 0, `above at ${fromEnd}`).to.equal(true);
      expect(below >= 900 || end === many, `below at ${fromEnd}`).to.equal(true);
      expect(countOf(range)).to.be.below(250);
    }
  });

  it('come a few at a time, since each takes its time', () => {
    const ranges = settle(rangeAround(list, null, 25, true), 0);
    for (const [at, range] of ranges.entries()) {
      const before = ranges[at - 1];
      if (before) expect(countOf(range) - countOf(before)).to.be.at.most(12);
    }
    // Where nothing in view is drawn that comes first, at once.
    const [, landed] = settle(rangeAround(list, null, 25, true), 20_000);
    if (!landed) throw new Error('It stays.');
    const { above, below } = viewAt(20_000, landed);
    expect([above >= 0, below >= 0]).to.deep.equal([true, true]);
    expect(countOf(landed)).to.be.below(40);
  });

  it('go when they are far away, but not while someone marks what is said', () => {
    const near = settle(rangeAround(list, null, 25, true), 0).at(-1);
    if (!near) throw new Error('unreachable');
    const [first] = placesOf(list, settle(near, 3000).at(-1) ?? near);
    expect(first).to.be.above(0);
    const kept = settle(near, 1500, false).at(-1) ?? near;
    expect(placesOf(list, kept)[1]).to.equal(many);
  });

  it('include what comes while the end is drawn, and only then', () => {
    const grown = [...list, { id: 'new', seq: 10_000 }];
    const atEnd = rangeAround(list, null, 25, true);
    expect(placesOf(grown, atEnd)[1]).to.equal(many + 1);
    const before = rangeAround(list, 500, 25, true);
    expect(placesOf(grown, before)).to.deep.equal(placesOf(list, before));
    // What comes after an older position is not the newest.
    expect(placesOf(grown, rangeAround(list, null, 25, false))[1]).to.equal(many);
  });

  it('leave as much room for the others as these take, beside those that stay drawn', () => {
    const heights = new Heights();
    heights.note('m0', 100);
    heights.note('m1', 50);
    const range = rangeAround(list, 500, 10, true);
    const [first, end] = placesOf(list, range);
    const pieces = piecesOf(list, range, new Set(['m2']), heights);
    const rows = pieces.flatMap((piece) => (piece.kind === 'row' ? piece.at : []));
    expect(rows).to.deep.equal([2, ...Array.from({ length: end - first }, (_, n) => first + n)]);
    const gaps = pieces.flatMap((piece) => (piece.kind === 'gap' ? piece : []));
    expect(gaps.map((gap) => gap.height)).to.deep.equal([150, (first - 3) * 75, (many - end) * 75]);
    expect(new Set(gaps.map(({ key }) => key)).size).to.equal(3);
    expect(piecesOf(list, { from: 0, to: Infinity }, nobody, heights)).to.have.length(many);
  });
});

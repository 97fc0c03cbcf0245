// nodes: own

import { expect } from 'chai';
import type { LogEntry } from '../../src/cluster/entry.ts';
import { channelRoom } from '../../src/contract/rooms.ts';
import { LiveStream } from '../../src/delivery/live-stream.ts';

const room = channelRoom('one');

const entry = (seq: number, data: object = { id: `id-${seq}` }, event = 'message:new'): LogEntry => {
  return { room, seq, event, threadId: null, json: JSON.stringify(data) };
};
const entries = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => entry(from + i));

/** A stream at the beginning of its log; what it gives out has the numbers of the node from 1001 on. */
function streamOf(limits = { tailEvents: 3, tailBytes: 1000 }): LiveStream {
  let mark = 1001;
  return new LiveStream(room, { seq: 0, floor: 0 }, limits, (due) => {
    mark += due.length;
    return mark - due.length;
  });
}

describe('a room on a node', () => {
  it('holds a thousand events that came too early, and leaves the others to the log', () => {
    const stream = streamOf();
    expect(stream.offer(entries(2, 3000))).to.equal(true);
    expect(stream.offer([entry(1)])).to.equal(false);
    expect(stream.position).to.equal(1001);
  });

  it('knows under which numbers of the node its last events went out, and when it does no longer', () => {
    const stream = streamOf();
    for (let seq = 1; seq <= 20_000; seq++) stream.offer([entry(seq)]);
    const known = stream.marksSince(1000 + 20_000 - 8191);
    expect(known).to.have.length(8191);
    expect(known?.at(-1)).to.equal(1000 + 20_000);
    expect(stream.marksSince(1000)).to.equal(undefined);
    expect(stream.marksSince(1000 + 20_000)).to.deep.equal([]);
  });

  it('remembers all of them as long as they are few', () => {
    const stream = streamOf();
    stream.offer(entries(1, 8191));
    expect(stream.marksSince(1000)).to.have.length(8191);
    stream.offer([entry(8192)]);
    expect(stream.marksSince(1000)).to.equal(undefined);
  });

  it('keeps as many events as it may', () => {
    const stream = streamOf();
    stream.offer(entries(1, 5));
    expect(stream.recent(2)).to.deep.equal(entries(3, 5));
    expect(stream.recent(1)).to.equal(undefined);
    stream.offer([entry(6, { id: 'x'.repeat(2000) })]);
    expect(stream.tailBytes).to.equal(0);
  });

  it('keeps nothing that was read before some of it was erased', () => {
    const stream = new LiveStream(room, { seq: 2, floor: 0 }, { tailEvents: 3, tailBytes: 1000 }, () => 1);
    const { revision } = stream;
    stream.forget('id-1', 3);
    stream.extendTail(entries(1, 2), revision);
    expect(stream.recent(0)).to.equal(undefined);
    stream.extendTail(entries(1, 2), stream.revision);
    expect(stream.recent(0)).to.deep.equal(entries(1, 2));
  });

  it('erases what came before it was erased, and keeps what says so', () => {
    const stream = streamOf();
    const [said, other, erasure] = [entry(1), entry(2), entry(3, { id: 'id-1' }, 'message:deleted')];
    stream.offer([said, other, erasure]);
    stream.forget('id-1', 3);
    expect(stream.recent(0)).to.equal(undefined);
    expect(stream.recent(1)).to.deep.equal([other, erasure]);
    expect(stream.tailBytes).to.equal(other.json.length + erasure.json.length);
  });

  it('keeps nobody waiting who has gone already', () => streamOf().wait(3_600_000, AbortSignal.abort()));

  const again = {
    'is the same': [entry(2), false],
    'has other words by now': [entry(2, { id: 'id-2', content: '' }), false],
    'is about something else': [entry(2, { id: 'id-3' }), true],
    'is another event': [entry(2, { id: 'id-2' }, 'message:updated'), true],
    'is older than what it keeps': [entry(-1, { id: 'id-3' }), false],
  } as const;
  for (const [what, [later, isContradiction]] of Object.entries(again)) {
    it(`${isContradiction ? 'notices' : 'does not mind'} what comes again and ${what}`, () => {
      const stream = streamOf();
      stream.offer(entries(1, 2));
      stream.offer([later]);
      expect(stream.isContradicted).to.equal(isContradiction);
      stream.skipTo(9);
      expect(stream.isContradicted).to.equal(false);
    });
  }
});

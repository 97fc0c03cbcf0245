// nodes: own

import { expect } from 'chai';
import { type Room, streamId } from '../../src/contract/rooms.ts';
import { type Job, WriteQueue } from '../../src/delivery/write-queue.ts';
import { testSettings } from '../world/nodes.ts';

const a: Room = 'channel:a';
const b: Room = 'channel:b';
const c: Room = 'channel:c';

type TestJob = Job<null, null>;

/** @param seconds from when on it is late */
function job(room: Room, number: number, seconds = 1): TestJob {
  const json = `${streamId(room)}${number}`;
  const write = { room, row: null, onceKeys: [], threadId: null, json, complete: () => null };
  return { write, operation: undefined, size: 10, deadline: seconds * 1000, resolve: () => {}, reject: () => {} };
}

const names = (jobs: TestJob[]) => jobs.map(({ write }) => write.json).join(' ');

describe('the queue of writes', () => {
  let queue: WriteQueue<null, null>;
  beforeEach(() => {
    const settings = testSettings('postgres://nowhere', null).delivery;
    queue = new WriteQueue({ ...settings, batchSize: 3, queueLength: 6, queueBytes: 50 });
  });

  it('gives batches in the order of arrival, and passes over rooms that are held', () => {
    for (const [room, number] of [
      [a, 1],
      [b, 1],
      [a, 2],
      [c, 1],
    ] as const)
      queue.add(job(room, number));
    queue.held.hold(job(a, 0));
    expect(names(queue.take())).to.equal('b1 c1');
    expect(names(queue.take())).to.equal('');
    expect(names(queue.held.take())).to.equal('a0');
    expect([queue.mustWait(a), names(queue.take())]).to.deep.equal([true, '']);
    expect(names(queue.held.take())).to.equal('');
    expect([queue.mustWait(a), names(queue.take())]).to.deep.equal([false, 'a1 a2']);
  });

  it('tries held rooms by turns, and keeps the order of each', () => {
    for (const [room, number] of [
      [a, 1],
      [b, 1],
      [a, 2],
    ] as const)
      queue.setAside(job(room, number));
    const { held } = queue;
    const [first, second] = held.take();
    expect(held.mustWait()).to.equal(false);
    // The main lane comes to more of its batch while the first is still locked.
    queue.setAside(job(a, 3));
    if (first) held.setAside(first);
    expect(held.mustWait()).to.equal(true);
    if (second) held.setAside(second);
    expect(names(held.take())).to.equal('b1');
    expect(held.mustWait()).to.equal(false);
    expect(names(held.take())).to.equal('a1 a2 a3');
    expect(names(held.take())).to.equal('');
    expect(held.size).to.equal(0);
  });

  it('has no space beyond its number and its bytes, which are given back by what leaves it', () => {
    for (let i = 1; i <= 5; i++) queue.add(job(a, i, i));
    expect([queue.hasSpaceFor(0), queue.hasSpaceFor(1)]).to.deep.equal([true, false]);
    expect(names(queue.removeLate(2500))).to.equal('a1 a2');
    expect([queue.hasSpaceFor(20), queue.hasSpaceFor(21)]).to.deep.equal([true, false]);
    expect(names(queue.take())).to.equal('a3 a4 a5');
    expect([queue.hasSpaceFor(50), queue.length]).to.deep.equal([true, 0]);
    for (let i = 1; i <= 6; i++) queue.add({ ...job(a, i), size: 0 });
    expect(queue.hasSpaceFor(0)).to.equal(false);
  });

  it('removes what is late from held rooms too', () => {
    for (const [number, seconds] of [
      [1, 1],
      [2, 3],
    ] as const)
      queue.setAside(job(b, number, seconds));
    queue.setAside(job(a, 1, 1));
    expect(names(queue.removeLate(2000))).to.equal('b1 a1');
    expect(names(queue.held.take())).to.equal('b2');
    expect(names(queue.held.take())).to.equal('');
  });
});

// nodes: own

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { SoloBus } from '../../src/cluster/bus.ts';
import { channelRoom, type Room, streamId, userRoom } from '../../src/contract/rooms.ts';
import type { Rows } from '../../src/database/database.ts';
import { DeliveryCounters } from '../../src/delivery/counters.ts';
import { LiveStream } from '../../src/delivery/live-stream.ts';
import { StalenessGuard } from '../../src/delivery/staleness.ts';
import { Sweeper } from '../../src/delivery/sweeper.ts';
import { keptLog } from '../world/kept-log.ts';
import type { Loose } from '../world/person.ts';
import { farAway, PlainLog } from './foundation.ts';

const channel = channelRoom('one');
const own = userRoom('bob');

/** It remembers up to when people's own rooms are known. */
class NotedStaleness extends StalenessGuard {
  readonly times: number[] = [];

  override upToDate(time: number): void {
    this.times.push(time);
  }
}

describe('a sweep of the rooms of a node', () => {
  let [here, bobs] = [new PlainLog(channel), new PlainLog(own)];
  let streams: Map<Room, LiveStream>;
  let sweeper: Sweeper;
  let staleness: NotedStaleness;
  let messages: string[];
  /** Where what was emitted, in that order. */
  let emitted: Room[];
  let pulled: Room[];
  /** How often was asked which rooms have moved on. */
  let asked: number;
  /** Of how many rooms each time. */
  let askedAbout: number[];
  /** The ids of those. */
  let named: string[];
  /** What the database can see, and which logs it has noted to have moved. */
  let [snapshot, noted]: [number, Set<string>] = [5, new Set()];
  /** What becomes of that. */
  let answered: Promise<void>;

  const committedRows: Rows = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> => {
    if (text.includes('pg_current_snapshot')) {
      const row: Loose = { snapshot: `${snapshot}:${snapshot}:`, ids: [...noted] };
      return [row];
    }
    const [ids, seqs, limit]: Loose = values;
    const known: [PlainLog, number][] = [here, bobs].flatMap((log) => {
      const at = ids.indexOf(streamId(log.room));
      return at < 0 ? [] : [[log, seqs[at]]];
    });
    if (text.includes('log_entries')) {
      return known.flatMap(([log, seq]): Loose => {
        return log.after(seq, limit).map((entry) => ({ ...entry, stream_id: streamId(log.room) }));
      });
    }
    asked++;
    askedAbout.push(ids.length);
    named.push(...ids);
    await answered;
    return known.flatMap(
      ([{ room, head }, seq]): Loose => (head === seq ? [] : [{ id: streamId(room), last_seq: head }]),
    );
  };

  beforeEach(() => {
    [here, bobs] = [new PlainLog(channel), new PlainLog(own)];
    [emitted, pulled, asked, answered] = [[], [], 0, Promise.resolve()];
    [askedAbout, named, snapshot, noted] = [[], [], 5, new Set()];
    const limits = { tailEvents: 9, tailBytes: farAway };
    const open = (room: Room) =>
      new LiveStream(room, { seq: 0, floor: 0 }, limits, (due) => emitted.push(...due.map(() => room)));
    streams = new Map([channel, own].map((room) => [room, open(room)]));
    staleness = new NotedStaleness(streams, async () => {}, new SoloBus());
    const kept = keptLog();
    messages = kept.messages;
    const pull = async ({ room }: LiveStream) => void pulled.push(room);
    const [database, counters, log] = [{ committedRows, quickRows: committedRows }, new DeliveryCounters(), kept.log];
    sweeper = new Sweeper({
      complete: async (entries) => entries,
      streams,
      pull,
      database,
      gapWaitMs: 0,
      staleness,
      counters,
      log,
    });
    for (const stream of streams.values()) sweeper.follow(stream, false);
  });

  const say = (log: PlainLog, count: number) => Array.from({ length: count }, () => log.add('a word'));

  it('gives people what is in their own rooms first: it may be that they have left the others', async () => {
    say(here, 2);
    say(bobs, 1);
    await sweeper.sweep();
    expect(emitted).to.deep.equal([own, channel, channel]);
    expect(pulled).to.deep.equal([]);
  });

  it('reads a room alone that is far behind, or of which something has left the log', async () => {
    say(here, 100);
    say(bobs, 9);
    bobs.floor = 5;
    await sweeper.sweep();
    expect(emitted).to.deep.equal([]);
    expect(pulled).to.have.members([channel, own]);
  });

  it('is made once at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answered = promise;
    const both = [sweeper.sweep(), sweeper.sweep()];
    await turn();
    expect(asked).to.equal(1);
    resolve();
    await Promise.all(both);
    await sweeper.sweep();
    expect(asked).to.equal(2);
  });

  it('is not made any more once the node is closing, nor is it missed', async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    answered = promise;
    const last = sweeper.sweep();
    sweeper.close();
    reject(new Error('PostgreSQL is gone'));
    await last;
    await sweeper.sweep();
    expect(asked).to.equal(1);
    expect(messages).to.deep.equal([]);
  });

  it('knows what was committed before it began, where it came to its end', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answered = promise;
    const sweep = sweeper.sweep();
    const begun = performance.now();
    while (performance.now() === begun) await turn();
    resolve();
    await sweep;
    expect(staleness.times).to.have.length(1);
    expect(staleness.times[0]).to.be.at.most(begun);
    answered = Promise.reject(new Error('PostgreSQL is away'));
    await sweeper.sweep();
    expect(staleness.times).to.have.length(1);
    streams.clear();
    await sweeper.sweep();
    expect(staleness.times).to.have.length(2);
  });

  it('says once that the log cannot be read, and once that it can be again', async () => {
    for (let outage = 0; outage < 2; outage++) {
      for (let i = 0; i < 3; i++) {
        answered = Promise.reject(new Error('PostgreSQL is away'));
        await sweeper.sweep();
      }
      answered = Promise.resolve();
      for (let i = 0; i < 3; i++) await sweeper.sweep();
    }
    const outage = ['The log cannot be read just now.', 'The log can be read again.'];
    expect(messages).to.deep.equal([...outage, ...outage]);
  });

  describe('where the database notes which logs of people have moved', () => {
    const people = Array.from({ length: 5000 }, (_, i) => userRoom(`person ${i}`));

    beforeEach(async () => {
      for (const room of people) {
        const stream = new LiveStream(room, { seq: 0, floor: 0 }, { tailEvents: 9, tailBytes: farAway }, () => 1);
        streams.set(room, stream);
        sweeper.follow(stream, true);
      }
      // The first asks about all, since it does not know since when anything was noted.
      await sweeper.sweep();
      expect(askedAbout).to.deep.equal([streams.size]);
    });

    const aFew = (count: number) => expect(count).to.be.below(people.length / 10);

    it('asks about no more rooms for people who are connected and silent', async () => {
      for (let i = 0; i < 3; i++) await sweeper.sweep();
      for (const count of askedAbout.slice(1)) aFew(count);
    });

    it('asks about those that have moved', async () => {
      const bob = streams.get(own);
      if (bob) sweeper.unfollow(bob);
      say(bobs, 1);
      // Far from those that come up in turn.
      streams.delete(own);
      if (bob) streams.set(own, bob);
      noted.add('bob');
      await sweeper.sweep();
      expect(emitted).to.deep.equal([own]);
      aFew(askedAbout[1] ?? 0);
    });

    it('asks about one that was opened since the last time', async () => {
      const bob = streams.get(own);
      if (!bob) throw new Error('no room');
      sweeper.unfollow(bob);
      sweeper.follow(bob, true);
      say(bobs, 1);
      await sweeper.sweep();
      expect(emitted).to.deep.equal([own]);
      aFew(askedAbout[1] ?? 0);
    });

    it('asks about all after it failed, and when a standby that is behind has taken over', async () => {
      answered = Promise.reject(new Error('PostgreSQL is gone'));
      await sweeper.sweep();
      answered = Promise.resolve();
      await sweeper.sweep();
      expect(askedAbout[2]).to.equal(streams.size);
      await sweeper.sweep();
      aFew(askedAbout[3] ?? 0);
      snapshot = 4;
      await sweeper.sweep();
      expect(askedAbout[4]).to.equal(streams.size);
    });

    it('asks about each of them in turn', async () => {
      named = [];
      for (let i = 0; i < 30; i++) await sweeper.sweep();
      for (const count of askedAbout.slice(1)) aFew(count);
      expect(new Set(named).size).to.equal(streams.size);
    });
  });
});

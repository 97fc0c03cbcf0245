// nodes: own

import { expect } from 'chai';
import { SoloBus } from '../../src/cluster/bus.ts';
import { channelRoom, type Room, userRoom } from '../../src/contract/rooms.ts';
import { LiveStream } from '../../src/delivery/live-stream.ts';
import { StalenessGuard } from '../../src/delivery/staleness.ts';

const [channel, own] = [channelRoom('one'), userRoom('bob')];
/** Longer than lost access and ended sessions may go unnoticed. */
const longMs = 2001;

/** Nothing was heard since the node began. */
class DeafBus extends SoloBus {
  override readonly deafUntil = Number.POSITIVE_INFINITY;
}

describe('a node that may not have heard who lost access', () => {
  const { now } = performance;
  let later: number;
  let guard: StalenessGuard;
  let freshened: Room[];
  let sessions: { knownUntil: number; polls: number; poll(): Promise<unknown> };

  beforeEach(() => {
    later = 0;
    performance.now = () => now.call(performance) + later;
    freshened = [];
    const limits = { tailEvents: 9, tailBytes: 999 };
    const rooms = [channel, own].map((room): [Room, LiveStream] => {
      return [room, new LiveStream(room, { seq: 0, floor: 0 }, limits, () => 1)];
    });
    guard = new StalenessGuard(new Map(rooms), async ({ room }) => freshened.push(room), new DeafBus());
    sessions = {
      knownUntil: now.call(performance),
      polls: 0,
      async poll() {
        this.polls++;
        this.knownUntil = performance.now();
      },
    };
    guard.watchSessions(sessions);
  });
  afterEach(() => {
    performance.now = now;
  });

  it('gives out what comes for channels for so long as that may go unnoticed, and what comes for people at any time', () => {
    expect(guard.isStale(channel)).to.equal(false);
    later = longMs;
    expect(guard.isStale(channel)).to.equal(true);
    expect(guard.isStale(own)).to.equal(false);
  });

  it('has to know both who was put out and whose session has ended', () => {
    later = longMs;
    guard.upToDate(performance.now());
    expect(guard.isStale(channel)).to.equal(true);
    sessions.knownUntil = performance.now();
    expect(guard.isStale(channel)).to.equal(false);
    later = 2 * longMs;
    sessions.knownUntil = performance.now();
    expect(guard.isStale(channel)).to.equal(true);
  });

  it('looks for both before it gives out what is in the log of a channel, and only where it has to', async () => {
    await guard.refresh(channel);
    later = longMs;
    await guard.refresh(own);
    expect([freshened, sessions.polls]).to.deep.equal([[], 0]);
    await guard.refresh(channel);
    await guard.refresh(channel);
    expect([freshened, sessions.polls]).to.deep.equal([[own], 1]);
    expect(guard.isStale(channel)).to.equal(false);
  });
});

// nodes: own

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { type ControlMessage, RedisBus } from '../../src/cluster/bus.ts';
import type { LogEntry } from '../../src/cluster/entry.ts';
import { channelRoom } from '../../src/contract/rooms.ts';

/** Nobody waits for that long here. */
const longMs = 600_000;
const room = channelRoom('one');
const entry: LogEntry = { room, seq: 1, event: 'message:new', threadId: null, json: '{}' };
const message: ControlMessage = { kind: 'drop', cache: 'things', keys: ['one'] };

/** A Redis that does what it is told to. */
class FakeRedis {
  healthy = true;
  readonly controlChannel = 'control';
  readonly said: [string, string][] = [];
  readonly subscribing: (() => void)[] = [];
  /** How many get what is said: this node is one of them. */
  receivers = 3;
  tell: (healthy: boolean) => void = () => {};
  bring: (channel: string, text: string) => void = () => {};

  named(what: string): string {
    return what;
  }

  besideControl(what: string): string {
    return what;
  }

  onHealth(listener: (healthy: boolean) => void): void {
    this.tell = listener;
  }

  onMessage(listener: (channel: string, text: string) => void): void {
    this.bring = listener;
  }

  async publish(channel: string, text: string): Promise<number> {
    this.said.push([channel, text]);
    return this.receivers;
  }

  subscribe(): Promise<void> {
    return new Promise((resolve) => this.subscribing.push(resolve));
  }

  async unsubscribe(): Promise<void> {}
}

describe('what a node says to the others', () => {
  let redis: FakeRedis;
  let bus: RedisBus;

  beforeEach(() => {
    redis = new FakeRedis();
    bus = new RedisBus(redis, 'here');
  });

  /** @returns what has become of it once all is done that waits for nothing */
  async function outcomeOf<T>(promise: Promise<T>): Promise<T | 'waits'> {
    let outcome: T | 'waits' = 'waits';
    void promise.then((value) => {
      outcome = value;
    });
    for (let i = 0; i < 10; i++) await turn();
    return outcome;
  }

  const confirm = (node: string) => redis.bring('reply:here', `here-1 ${node}`);

  it('is confirmed once each other one has acted on it', async () => {
    const confirmed = bus.control(message, longMs);
    confirm('there');
    expect(await outcomeOf(confirmed)).to.equal('waits');
    confirm('there');
    expect(await outcomeOf(confirmed)).to.equal('waits');
    confirm('yonder');
    expect(await outcomeOf(confirmed)).to.equal(true);
  });

  it('is confirmed at once where there is no other', async () => {
    redis.receivers = 1;
    expect(await outcomeOf(bus.control(message, longMs))).to.equal(true);
  });

  it('counts as not heard at once where Redis does not take it', async () => {
    redis.receivers = 0;
    expect(await outcomeOf(bus.control(message, longMs))).to.equal(false);
  });

  it('is not said while Redis is away, where it would pile up, and nobody waits for it', async () => {
    redis.healthy = false;
    bus.publish(room, [entry]);
    expect(await outcomeOf(bus.control(message, longMs))).to.equal(false);
    expect(await outcomeOf(bus.subscribe(room))).to.equal(undefined);
    expect(redis.said).to.deep.equal([]);
  });

  it('of a room is waited for before the room is read', async () => {
    const subscribed = bus.subscribe(room);
    expect(await outcomeOf(subscribed)).to.equal('waits');
    for (const answer of redis.subscribing) answer();
    await subscribed;
  });

  it('may have gone unheard until Redis is back', () => {
    expect(bus.deafUntil).to.be.at.most(performance.now());
    redis.tell(false);
    expect(bus.deafUntil).to.equal(Number.POSITIVE_INFINITY);
    const before = performance.now();
    redis.tell(true);
    expect(bus.deafUntil).to.be.within(before, performance.now());
  });

  it('is acted on before it is confirmed, and by no node that said it', async () => {
    let done = () => {};
    const acted: unknown[] = [];
    bus.onControl((what) => {
      acted.push(what);
      return new Promise((resolve) => {
        done = resolve;
      });
    });
    const from = (node: string) => redis.bring('control', JSON.stringify({ id: `${node}-1`, from: node, message }));
    from('here');
    from('there');
    await turn();
    expect(acted).to.deep.equal([message]);
    expect(redis.said).to.deep.equal([]);
    done();
    await turn();
    expect(redis.said).to.deep.equal([['reply:there', 'there-1 here']]);
  });
});

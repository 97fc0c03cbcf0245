// nodes: own

import { expect } from 'chai';
import { MemoryStore, ParleyError } from '../../src/client/index.ts';
import { Outbox, type Pending } from '../../src/client/outbox.ts';
import { keysOf } from '../../src/client/store.ts';
import { until } from '../rig/until.ts';

const hours = 3600 * 1000;

describe('messages that are not acknowledged yet', () => {
  let store: MemoryStore;
  let outbox: Outbox;
  /** What was attempted, when, and what ends the attempt. */
  let attempts: { content: unknown; at: number; end(error?: ParleyError): void }[];
  let settled: string[];

  beforeEach(() => {
    store = new MemoryStore();
    [attempts, settled] = [[], []];
    outbox = fresh();
  });
  afterEach(() => outbox.clear());

  function fresh(): Outbox {
    const attempt = ({ input: { content } }: Pending) =>
      new Promise<never>((resolve, reject) => {
        const end = (error?: ParleyError) => (error ? reject(error) : resolve(Object.create(null)));
        attempts.push({ content, at: performance.now(), end });
      });
    return new Outbox(store, attempt, ({ input }, outcome) => {
      settled.push(`${input.content}: ${outcome instanceof ParleyError ? outcome.code : 'sent'}`);
    });
  }

  const send = (content: string) => outbox.send('channel', { content }, 'bob').catch((error) => error);
  const attempted = (count: number) => until(() => attempts.length >= count);

  it('are settled once where one signs out while one is on its way, whose answer comes late', async () => {
    const sent = send('one');
    await attempted(1);
    outbox.clear();
    expect(await sent).to.include({ code: 'SIGNED_OUT' });
    attempts[0]?.end();
    send('two');
    await attempted(2);
    expect(settled).to.deep.equal(['one: SIGNED_OUT']);
    expect(keysOf(store, '')).to.have.length(1);
  });

  it('are sent again no sooner than the server asks for, or at once where there is a new connection', async () => {
    const busy = new ParleyError({ code: 'RATE_LIMITED', retryAfter: 1 });
    send('one');
    await attempted(1);
    const [first] = attempts;
    first?.end(busy);
    await attempted(2);
    const [, second] = attempts;
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.at.least(1000);
    second?.end(new ParleyError({ code: 'RATE_LIMITED', retryAfter: 3600 }));
    // The pause begins once it is known that it is needed.
    await until(() => {
      outbox.wake();
      return attempts.length === 3;
    });
  });

  it('are those of their author, in the order in which they were written, in the next program too', async () => {
    for (const content of ['one', 'two', 'three']) send(content);
    outbox.send('channel', { content: 'not his' }, 'alice').catch(() => {});
    const kept = keysOf(store, '').map((key) => [key, store.getItem(key) ?? ''] as const);
    store = new MemoryStore();
    for (const [key, text] of kept.reverse()) store.setItem(key, text);
    const before = attempts.length;
    const next = fresh();
    next.restore('bob');
    next.restore('bob');
    expect(next.pending('channel').map(({ input }) => input.content)).to.deep.equal(['one', 'two', 'three']);
    for (let i = 0; i < 3; i++) {
      await attempted(before + i + 1);
      attempts[before + i]?.end();
    }
    await until(() => settled.length === 3);
    expect(settled).to.deep.equal(['one: sent', 'two: sent', 'three: sent']);
  });

  it('are not tried again where the server may have forgotten that it has them', async () => {
    const queuedAt = Date.now() - 23.5 * hours;
    for (const [nonce, isTried] of [
      ['tried', true],
      ['new', false],
    ] as const) {
      const pending: Pending = {
        nonce,
        channelId: nonce,
        input: { content: nonce },
        userId: 'bob',
        queuedAt,
        attempted: isTried,
      };
      store.setItem(`parley:outbox:${nonce}`, JSON.stringify(pending));
    }
    outbox.restore('bob');
    await until(() => settled.length === 1 && attempts.length === 1);
    expect(settled).to.deep.equal(['tried: TOO_OLD']);
    expect(attempts.map(({ content }) => content)).to.deep.equal(['new']);
  });

  it('can be taken back until they are on their way', async () => {
    const [, second] = [send('one'), send('two')];
    await attempted(1);
    const nonces = outbox.pending('channel').map(({ nonce }) => nonce);
    expect(nonces.map((nonce) => outbox.cancel(nonce))).to.deep.equal([false, true]);
    expect(await second).to.include({ code: 'CLOSED' });
    attempts[0]?.end();
    await until(() => settled.length === 2);
    expect(settled).to.deep.equal(['two: CLOSED', 'one: sent']);
    // Nothing is left, and what comes then is sent.
    send('three');
    await attempted(2);
  });
});

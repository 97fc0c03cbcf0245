// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Confirmations } from '../../src/cluster/bus.ts';

/** Nobody waits for that long here. */
const longMs = 600_000;
/** Longer than silent receivers are waited for. */
const laterMs = 400;

describe('a message that all nodes are to confirm', () => {
  let confirmations: Confirmations;
  let count = 0;
  beforeEach(() => {
    confirmations = new Confirmations();
  });
  afterEach(() => {
    for (let i = 1; i <= count; i++) confirmations.failed(`m${i}`);
  });

  /** Sends one to `receivers` nodes, of which these confirm at once. */
  function send(receivers: number, nodes: string[], ms = longMs) {
    const id = `m${++count}`;
    const message = { id, answer: undefined as boolean | undefined, done: Promise.resolve(false) };
    message.done = confirmations.all(id, ms).then((all) => {
      message.answer = all;
      return all;
    });
    for (const node of nodes) confirmations.confirm(id, node);
    confirmations.sent(id, receivers);
    return message;
  }

  /** The message is answered only once this node, the last one, has confirmed it. */
  async function waitsFor(message: ReturnType<typeof send>, node: string): Promise<void> {
    await delay(laterMs);
    expect(message.answer).to.equal(undefined);
    confirmations.confirm(message.id, node);
    expect(await message.done).to.equal(true);
  }

  it('has been, once the last one did, whatever Redis says first', async () => {
    const message = send(3, ['a']);
    confirmations.confirm(message.id, 'b');
    confirmations.confirm(message.id, 'b');
    await waitsFor(message, 'c');
    expect(await send(2, ['a', 'b']).done).to.equal(true);
    expect(await send(0, []).done).to.equal(true);
  });

  it('has not been, if Redis did not take it or one of them is silent', async () => {
    const message = confirmations.all('lost', longMs);
    confirmations.failed('lost');
    expect(await message).to.equal(false);
    expect(await send(2, ['a'], 50).done).to.equal(false);
  });

  it('waits only briefly for one that has been silent, but always for the others', async () => {
    await send(3, ['a', 'b'], 50).done;
    expect(await send(3, ['a', 'b']).done).to.equal(false);
    const message = send(3, ['a', 'back again']);
    await waitsFor(message, 'b');
  });

  it('waits for one that was silent as for any other once it confirms, even if late', async () => {
    await send(2, ['a'], 50).done;
    const late = send(2, ['a']);
    expect(await late.done).to.equal(false);
    confirmations.confirm(late.id, 'b');
    const message = send(2, ['a']);
    await waitsFor(message, 'b');
  });

  it('waits always for one that confirms again, though another one is silent', async () => {
    await send(3, ['a'], 50).done;
    expect(await send(3, ['a', 'b']).done).to.equal(false);
    const message = send(3, ['a', 'back again']);
    await waitsFor(message, 'b');
  });

  it('learns nothing from the end of one that was sent before', async () => {
    const lost = send(2, ['a'], 200);
    expect(await send(2, ['a', 'b']).done).to.equal(true);
    expect(await lost.done).to.equal(false);
    const message = send(2, ['a']);
    await waitsFor(message, 'b');
  });

  it('waits for its full time for one more that is silent', async () => {
    await send(2, ['a'], 50).done;
    const message = send(3, ['a']);
    await delay(laterMs);
    expect(message.answer).to.equal(undefined);
    confirmations.confirm(message.id, 'c');
    expect(await message.done).to.equal(false);
  });
});

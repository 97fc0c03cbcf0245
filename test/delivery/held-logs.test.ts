import { expect } from 'chai';
import type { Listener } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('a log that somebody holds', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  /** Runs `work` while the logs of these channels are locked, as by a node that froze in the middle of a change. */
  const holding = <T>(channelIds: string[], work: () => Promise<T>): Promise<T> =>
    withRows(here.cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = ANY($1::uuid[]) FOR UPDATE', [channelIds]);
      const result = await work();
      await rows('COMMIT');
      return result;
    });

  /** Sends messages 1 to `count` to a channel. @returns their numbers and texts */
  const send = (mouth: Listener, channelId: string, count: number, nonceOf: (i: number) => object) =>
    Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const sent = await mouth.emit('message:send', { channelId, content: `message ${i + 1}`, ...nonceOf(i) });
        expect(sent.ok, JSON.stringify(sent)).to.equal(true);
        return `${sent.message.seq} ${sent.message.content}`;
      }),
    );

  /** What 20 messages become in a channel, and one more after them. @param nonceOf the position of a message */
  async function check(nonceOf: (i: number) => object, expected: string[]): Promise<void> {
    const mouth = await here.alice.connect();
    const channels: string[] = [];
    for (let i = 0; i < 4; i++) channels.push(await here.newChannel());
    const held = channels.slice(0, 2);
    const open = channels.slice(2);
    const all = (ids: string[]) => ids.map((id) => send(mouth, id, 20, nonceOf));
    const oneMore = (ids: string[]) => ids.map((id) => send(mouth, id, 1, () => ({ nonce: 'after' })));
    const waiting = await holding(held, async () => {
      // Of the four channels by turns, in the same batches.
      const [first, others] = [all(held), all(open)];
      for (const sent of await Promise.all(others)) expect(sent).to.deep.equal(expected);
      const [last, more] = [oneMore(held), oneMore(open)];
      await Promise.all(more);
      return { first, last };
    });
    for (const sent of await Promise.all(waiting.first)) expect(sent).to.deep.equal(expected);
    const seq = new Set(expected).size + 1;
    for (const sent of await Promise.all(waiting.last)) expect(sent).to.deep.equal([`${seq} message 1`]);
  }

  it('holds up nothing that is sent elsewhere, and has what was sent to it in its order when it is free', () =>
    check(
      () => ({}),
      Array.from({ length: 20 }, (_, i) => `${i + 1} message ${i + 1}`),
    ));

  it('does so too where something is sent twice, which goes the longer way', () =>
    check(
      (i) => ({ nonce: `twice ${Math.floor(i / 2)}` }),
      Array.from({ length: 20 }, (_, i) => `${Math.floor(i / 2) + 1} message ${i - (i % 2) + 1}`),
    ));

  it('keeps nobody waiting for longer than a send may take, however many of them there are', async () => {
    const mouth = await here.alice.connect();
    const channels: string[] = [];
    for (let i = 0; i < 60; i++) channels.push(await here.newChannel());
    const sends = () => channels.map((channelId) => mouth.emit('message:send', { channelId, content: 'hello' }));
    await holding(channels, async () => {
      const codes = (await Promise.all(sends())).map(({ code }) => code);
      for (const code of codes) expect(code).to.be.oneOf(['DATABASE_UNAVAILABLE', 'SERVER_BUSY']);
    });
    for (const { message } of await Promise.all(sends())) expect(message.seq).to.equal(1);
  });
});

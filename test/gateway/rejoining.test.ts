import { expect } from 'chai';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { Follower, range } from '../world/follower.ts';
import { type World, world } from '../world/world.ts';

describe('a client that joins its rooms on each connect, whether it is recovered or not', () => {
  let here: World;
  let wire: TcpProxy;
  let follower: Follower | undefined;

  before(async () => {
    here = await world();
    wire = await startProxy(here.bob.node.port);
  });
  afterEach(() => follower?.close());
  after(async () => {
    here.close();
    await wire.stop();
  });

  async function sayMany(channelId: string, count: number): Promise<number> {
    const said = await Promise.all(range(1, count).map((i) => here.alice.say(channelId, `${i}`)));
    return Math.max(...said.map(({ seq }) => seq));
  }

  /** Bob's client, in the channel; from here on it joins when it is connected, and does nothing else. */
  async function follow(channelId: string, resume: () => object): Promise<[Follower, number]> {
    const url = `http://127.0.0.1:${wire.port}`;
    const pace = { reconnectionDelay: 300, reconnectionDelayMax: 300, randomizationFactor: 0 };
    const made = new Follower({ url, token: here.bob.token }, pace);
    follower = made;
    made.socket.auth = (give) => give({ token: here.bob.token, ...resume() });
    // Before it is said to be ready, a connection that is lost has nothing to come back to.
    await new Promise((resolve) => made.socket.once('ready', resolve));
    const { seq } = await made.join(channelId);
    made.socket.on('connect', () => made.socket.emit('channel:join', { channelId }));
    return [made, seq];
  }

  for (const [count, words] of [
    [20, 'what it missed'],
    [700, 'more than is sent at once'],
  ] as const) {
    it(`gets ${words} when it is recovered, once and in order, and what follows`, async () => {
      const channelId = await here.newChannel();
      const [client, from] = await follow(channelId, () => ({}));
      await sayMany(channelId, 1);
      await client.reach(channelId, from + 1);
      wire.cut();
      const missed = await sayMany(channelId, count);
      expect(await client.connected(2)).to.equal(true);
      await client.reach(channelId, missed);
      const last = await sayMany(channelId, 5);
      await client.reach(channelId, last);
      expect(client.seen(channelId)).to.deep.equal(range(from + 1, last));
    });
  }

  it('gets what it missed since the position that it comes with, too', async () => {
    const channelId = await here.newChannel();
    let position = 0;
    const [client, from] = await follow(channelId, () => ({ resume: { [channelId]: position } }));
    position = from;
    // It forgets its connection, as a program does that is started again.
    wire.refuse(true);
    client.close();
    const missed = await sayMany(channelId, 700);
    wire.refuse(false);
    client.socket.connect();
    await client.reach(channelId, missed);
    const last = await sayMany(channelId, 5);
    await client.reach(channelId, last);
    expect(client.seen(channelId)).to.deep.equal(range(from + 1, last));
  });
});

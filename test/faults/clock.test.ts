// nodes: own

import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Receiver, receiver } from '../agents/receiver.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, type SettingsChange, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const hour = 3_600_000;

describe('a clock that is set while nodes run', () => {
  const tellTime = Date.now;
  let cluster: Cluster | undefined;
  let here: World | undefined;
  let ear: Receiver | undefined;

  afterEach(async () => {
    Date.now = tellTime;
    here?.close();
    await cluster?.stop();
    await ear?.close();
  });

  /** Makes the clock of all nodes wrong by so much. */
  const setClock = (byMs: number) => {
    Date.now = () => tellTime() + byMs;
  };

  async function start(options: { nodes: number; redisUrl?: string; settings: SettingsChange }): Promise<World> {
    cluster = await startCluster(options);
    here = await world(cluster);
    return here;
  }

  it('back by an hour keeps nobody from writing for an hour', async () => {
    const rates = { events: { points: 3, seconds: 1 }, messages: { points: 3, seconds: 1 } };
    const { alice, channel } = await start({ nodes: 1, settings: { rateLimits: true, rates } });
    const mouth = await alice.listen(channel.id);
    const typing = () => mouth.emit('message:typing', { channelId: channel.id });
    const said = () => mouth.emit('message:send', { channelId: channel.id, content: 'and on' });
    for (const act of [typing, said]) {
      await until(async () => (await act()).code === 'RATE_LIMITED');
      setClock(-hour);
      await until(async () => (await act()).ok, { message: 'it waits for the old time' });
      Date.now = tellTime;
    }
  });

  it('back by an hour keeps nobody online who is gone', async () => {
    const { alice, bob, channel } = await start({ nodes: 1, settings: { presence: { graceMs: 200 } } });
    const hers = await alice.listen(channel.id);
    const isBob = (status: string) => (one: Loose) => one.userId === bob.id && one.status === status;
    const isTold = (status: string) =>
      hers.all('presence:change').some(({ changes }: Loose) => changes.some(isBob(status)));
    const socket = await bob.connect();
    await until(() => isTold('online'));
    socket.close();
    let back = 0;
    await until(() => {
      // Again and again, since the node may hear of the end only after the first time.
      setClock(-++back * hour);
      return isTold('offline');
    });
  });

  it('back by an hour does not put off what a webhook is to get', async () => {
    const webhooks = { retryMs: 40, pollMs: 100 };
    const settings = { appProxyAllow: ['127.0.0.1'], webhooks };
    const { alice, bob, channel, server } = await start({ nodes: 1, settings });
    const robot = await botIn(server, alice);
    ear = await receiver();
    ear.secret = (await alice.put(`/api/agents/${robot.agentId}/webhook`, { url: ear.url })).body.secret;
    ear.behave(() => 500);
    await bob.say(channel.id, 'hello');
    await ear.next(({ event }) => event.type === 'message:new');
    setClock(-hour);
    ear.behave(() => 200);
    await until(() => ear?.accepted('message:new').length);
  });

  it('wrong by days has a nonce remembered for a day all the same', async () => {
    const { alice, channel } = await start({ nodes: 1, settings: {} });
    const send = async (nonce: string) => {
      const { status, body } = await alice.post(`/api/channels/${channel.id}/messages`, { content: 'once', nonce });
      return { status, id: body.id };
    };
    const late = await send('of a clock that is late');
    const early = await send('of a clock that is early');
    const url = cluster?.databaseUrl ?? '';
    await query(url, "UPDATE messages SET created_at = created_at - interval '2 days' WHERE id = $1", [late.id]);
    await query(url, "UPDATE messages SET created_at = created_at + interval '9 days' WHERE id = $1", [early.id]);
    const age = `UPDATE log_entries l SET created_at = l.created_at - interval '2 days' FROM messages m
      WHERE m.id = $1 AND l.stream_id = m.channel_id AND l.seq = m.seq`;
    await query(url, age, [early.id]);
    expect(await send('of a clock that is late')).to.deep.equal({ status: 200, id: late.id });
    expect((await send('of a clock that is early')).status).to.equal(201);
  });

  it('ahead of that of another node ends none of its replies that are being made', async () => {
    const redisUrl = await sharedRedis();
    const { alice, bob, channel, server } = await start({ nodes: 2, redisUrl, settings: {} });
    const robot = await botIn(server, alice);
    const his = await bob.listen(channel.id);
    const mouth = await robot.connect();
    const stream = { channelId: channel.id, streamId: 'long' };
    await mouth.emit('message:stream', { ...stream, delta: 'It is ' });
    setClock(hour);
    // One that really is over shows when a node has looked for such.
    const left = { userId: robot.id, streamId: 'left', channelId: channel.id, threadId: null };
    const redis = new Redis(redisUrl);
    await redis.zadd('parley:streams', 1, JSON.stringify(left));
    redis.disconnect();
    await his.next('message:stream', (piece) => piece.streamId === 'left' && piece.aborted);
    await mouth.emit('message:stream', { ...stream, delta: '42.', done: true });
    await his.next('message:stream', (piece) => piece.streamId === 'long' && piece.done && !piece.aborted);
    expect(his.all('message:stream').filter((piece) => piece.streamId === 'long' && piece.aborted)).to.deep.equal([]);
    robot.hangUp();
  });
});

// nodes: own

import { expect } from 'chai';
import { itLong } from '../rig/long.ts';
import { startRedisCluster, type TestRedisCluster } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** Where orders between nodes go. */
const controlChannel = 'parley:control';

describe('two nodes over a Redis Cluster of three', () => {
  let redis: TestRedisCluster;
  let cluster: Cluster;
  let here: World;

  before(async () => {
    redis = await startRedisCluster();
    const settings = { redisCluster: true, rateLimits: true, rates: { search: { points: 4, seconds: 60 } } };
    cluster = await startCluster({ nodes: 2, redisUrl: redis.url, settings });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    await redis.stop();
  });

  const ready = async (node: { url: string }) => (await fetch(`${node.url}/readyz`)).status === 200;

  it('are ready, and hear each other in channels of all shards without asking the log', async () => {
    for (const node of cluster.nodes) await until(() => ready(node));
    const { alice, bob, server } = here;
    const swept = () => cluster.nodes.reduce((sum, { delivery }) => sum + delivery.counters.swept, 0);
    const names = range(1, 8).map((i) => `channel ${i}`);
    const channels: Loose[] = [];
    for (const name of names) channels.push((await alice.post(`/api/servers/${server.id}/channels`, { name })).body);
    const ear = await bob.listen(...channels.map(({ id }) => id));
    const isHeard = async (channelId: string) => {
      const before = swept();
      const said = await alice.say(channelId, 'over the shards');
      await ear.next('message:new', ({ id }) => id === said.id);
      return swept() === before;
    };
    // A sweep may come upon a message that is just on its way; of a shard that is not heard it would bring each.
    for (const { id } of channels) await until(() => isHeard(id), { message: 'not heard without the log' });
  });

  it('tell each other who types and who is there', async () => {
    const { alice, bob, channel } = here;
    const [his, hers] = [await bob.listen(channel.id), await alice.listen(channel.id)];
    hers.socket.emit('message:typing', { channelId: channel.id });
    expect((await his.next('message:typing')).userId).to.equal(alice.id);
    await hers.emit('presence:update', { status: 'dnd' });
    const statuses = ({ changes, ...one }: Loose) => [one, ...(changes ?? [])];
    const isHers = ({ userId, status }: Loose) => userId === alice.id && status === 'dnd';
    await his.next('presence:change', (data) => statuses(data).some(isHers));
  });

  it('throw out on the other node before the answer is there', async () => {
    const { alice, bob, server, channel } = here;
    const ear = await bob.listen(channel.id);
    const begun = performance.now();
    expect((await alice.delete(`/api/servers/${server.id}/members/${bob.id}`)).status).to.equal(200);
    expect(performance.now() - begun).to.be.below(2000);
    expect((await bob.get(`/api/channels/${channel.id}/messages`)).status).to.be.oneOf([403, 404]);
    await alice.say(channel.id, 'not for bob');
    // A kick has renewed the code.
    const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
    await bob.post(`/api/servers/${server.id}/join`, { inviteCode });
    expect(ear.all('message:new')).to.deep.equal([]);
  });

  it('count limits together', async () => {
    const path = '/api/search/messages?query=over';
    const { alice, bob } = here;
    const places = [alice, alice.on(bob.node)] as const;
    const statuses: number[] = [];
    for (const i of range(1, 6)) statuses.push((await places[i % 2 === 0 ? 0 : 1].get(path)).status);
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(4);
    expect(statuses.at(-1)).to.equal(429);
  });

  itLong('lose nothing when a third of it dies and comes back', async () => {
    const { alice, bob, channel } = here;
    const follower = new Follower({ url: bob.node.url, token: bob.token });
    await follower.connected(1);
    const { seq: first } = await follower.join(channel.id);
    const victim = await redis.ownerOf(controlChannel);
    await redis.kill(victim);
    // They no longer hear each other's orders; the log serves on.
    for (const node of cluster.nodes) {
      await until(async () => !(await ready(node)), { timeout: 40_000, message: 'ready without its Redis' });
    }
    for (const i of range(1, 10)) await alice.say(channel.id, `without a third ${i}`);
    await follower.reach(channel.id, first + 10);
    await redis.restart(victim);
    for (const node of cluster.nodes) await until(() => ready(node), { timeout: 60_000, message: 'not ready again' });
    for (const i of range(1, 10)) await alice.say(channel.id, `whole again ${i}`);
    await follower.reach(channel.id, first + 20);
    expect(follower.seen(channel.id)).to.deep.equal(range(first + 1, first + 20));
    follower.close();
  });
});

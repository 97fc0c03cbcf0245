// nodes: own

import { expect } from 'chai';
import type { Actor } from '../../src/contract/actor.ts';
import { startPositionsOf } from '../../src/gateway/return.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { type Node, startNode } from '../../src/node/node.ts';
import { sharedRedis } from '../rig/redis.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

/** How long each word of the far node takes to the database, and back. */
const wayMs = 150;

describe('a socket that has just heard that it is connected', () => {
  let cluster: Cluster;
  let here: World;
  let far: Node;
  let line: TcpProxy;
  before(async () => {
    const redisUrl = await sharedRedis();
    cluster = await startCluster({ nodes: 1, redisUrl });
    here = await world(cluster);
    const url = new URL(cluster.databaseUrl);
    line = await startProxy(Number(url.port));
    url.port = String(line.port);
    far = await startNode(testSettings(url.href, redisUrl), createLog('silent'));
  });
  after(async () => {
    here.close();
    await far.stop();
    await line.stop();
    await cluster.stop();
  });

  it('gets all that happens from then on, in its own room and in its direct messages', async () => {
    const { alice, bob, carol } = here;
    const { id } = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    await alice.say(id, 'before');
    line.jitter(wayMs, wayMs);
    const ear = bob.on(far).dial();
    await new Promise<void>((resolve) => ear.socket.once('connect', resolve));
    const [said, asked] = await Promise.all([
      alice.say(id, 'just now'),
      carol.post('/api/friends/request', { username: bob.username }),
    ]);
    expect((await ear.next('message:new')).id).to.equal(said.id);
    expect((await ear.next('friend:request')).id).to.equal(asked.body.id);
  });

  it('has not missed a room that was opened while its rooms were looked up: its own room announces it', async () => {
    const { bob, carol } = here;
    const ear = await bob.connect();
    let announced = 0;
    const opensOne = async () => {
      await carol.post('/api/dm/channels', { userId: bob.id });
      announced = (await ear.next('dm:created', ({ otherUser }) => otherUser.id === carol.id)).eventSeq;
      return [];
    };
    const none = { sessionId: null, personalTokenId: null, agent: null, expiresAt: null };
    const user = { id: bob.id, username: bob.username, displayName: bob.username, avatarUrl: null, isBot: false };
    const actor: Actor = { userId: bob.id, user, tier: 'member', secondFactor: false, scopes: null, ...none };
    const ownRooms = { roomsOnConnect: opensOne, opened: () => undefined };
    // On a node on which nobody is in that room yet.
    const positions = await startPositionsOf(actor, { ownRooms, delivery: far.delivery });
    expect(positions.get(`user:${bob.id}`)).to.be.below(announced);
  });
});

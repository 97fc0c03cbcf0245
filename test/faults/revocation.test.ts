import { expect } from 'chai';
import { startRedis } from '../rig/redis.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { startCluster } from '../world/nodes.ts';
import { register, worldOn } from '../world/world.ts';

describe('a session that is revoked while Redis is dead or hangs', () => {
  for (const fault of ['kill', 'pause'] as const) {
    it(`ends on the other node within 2 s (${fault})`, async () => {
      const redis = await startRedis();
      const cluster = await startCluster({ nodes: 2, redisUrl: redis.url });
      try {
        const [here, there] = cluster.nodes;
        if (!here || !there) throw new Error('no node');
        const person = await register(here);
        const elsewhere = person.on(there);
        const socket = await elsewhere.connect();
        expect((await elsewhere.get('/api/auth/me')).status).to.equal(200);
        await redis[fault]();
        const answered = person.post('/api/auth/logout').then(() => Date.now());
        await until(() => socket.socket.disconnected);
        const ended = Date.now();
        expect(socket.all('auth:session-revoked')).to.have.lengthOf(1);
        expect((await elsewhere.get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
        expect(ended - (await answered)).to.be.below(2000);
      } finally {
        redis.resume();
        await cluster.stop();
        await redis.stop();
      }
    });
  }
});

describe('someone who is put out on a node that alone cannot reach Redis', () => {
  it('is refused within 2 s by the others, which hear nothing of it and have no socket of theirs', async () => {
    const redis = await startRedis();
    const wire = await startProxy(redis.port);
    const cut = await startCluster({ nodes: 1, redisUrl: `redis://127.0.0.1:${wire.port}` });
    const well = await startCluster({ nodes: 1, redisUrl: redis.url, databaseUrl: cut.databaseUrl });
    try {
      const { alice, bob, channel } = await worldOn({ nodes: [...cut.nodes, ...well.nodes] });
      wire.refuse(true);
      wire.cut();
      await until(async () => (await fetch(`${alice.node.url}/readyz`)).status === 503);
      const read = () => bob.get(`/api/channels/${channel.id}/messages`);
      expect((await read()).status).to.equal(200);
      await alice.delete(`/api/channels/${channel.id}/members/${bob.id}`);
      const answered = Date.now();
      await until(async () => (await read()).status === 403);
      expect(Date.now() - answered).to.be.below(2100);
    } finally {
      await well.stop();
      await cut.stop();
      await wire.stop();
      await redis.stop();
    }
  });
});

import { expect } from 'chai';
import { startRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { startCluster } from '../world/nodes.ts';
import { register } from '../world/world.ts';

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

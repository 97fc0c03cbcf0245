// nodes: own
// alone

import { expect } from 'chai';
import { createDatabase } from '../rig/postgres.ts';
import { startRedis } from '../rig/redis.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { migrated, startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { query } from '../world/sql.ts';
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

describe('a session that ends while a socket comes over to it', () => {
  it('takes the socket along at once', async () => {
    const redis = await startRedis();
    const far = await createDatabase(migrated);
    const wire = await startProxy(Number(new URL(far.url).port));
    const distant = new URL(far.url);
    distant.host = `127.0.0.1:${wire.port}`;
    const slow = await startCluster({ nodes: 1, redisUrl: redis.url, databaseUrl: distant.href });
    const well = await startCluster({ nodes: 1, redisUrl: redis.url, databaseUrl: far.url });
    try {
      const [here, there] = [...slow.nodes, ...well.nodes];
      if (!here || !there) throw new Error('no node');
      const person = await register(there);
      const socket = await person.on(here).connect();
      const login = { email: person.username, password: 'correct horse' };
      const second = (await request(there, 'POST', '/api/auth/login', login)).body.accessToken;
      const [clock] = await query<{ now: string }>(far.url, 'SELECT clock_timestamp()::text AS now');
      wire.jitter(300, 300);
      const renewing = socket.emit('auth:renew', { token: second }).then(
        (ack) => JSON.stringify(ack),
        () => 'cut off',
      );
      // PostgreSQL has said that the session holds, and the node has not heard it yet.
      const said = `SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND query LIKE 'SELECT s.id AS "sessionId"%' AND query_start > $1`;
      await until(async () => (await query(far.url, said, [clock?.now])).length > 0);
      wire.hold();
      await request(there, 'POST', '/api/auth/logout', {}, { authorization: `Bearer ${second}` });
      wire.release();
      expect(await renewing).to.equal('cut off');
      expect(socket.all('auth:session-revoked')).to.have.lengthOf(1);
    } finally {
      await well.stop();
      await slow.stop();
      await wire.stop();
      await far.drop();
      await redis.stop();
    }
  });
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

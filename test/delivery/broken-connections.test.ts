// nodes: own

import { expect } from 'chai';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { type Cluster, migrated, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('sends whose connection to PostgreSQL breaks', () => {
  let database: TestDatabase;
  let wire: TcpProxy;
  let cluster: Cluster;
  let here: World;

  before(async () => {
    database = await createDatabase(migrated);
    const url = new URL(database.url);
    wire = await startProxy(Number(url.port));
    url.port = String(wire.port);
    cluster = await startCluster({ nodes: 1, databaseUrl: url.href });
    here = await world(cluster);
  });
  after(async () => {
    wire.refuse(false);
    wire.release();
    here.close();
    await cluster.stop();
    await wire.stop();
    await database.drop();
  });

  const range = (count: number) => Array.from({ length: count }, (_, i) => i);

  it('are written once, in their order, and nobody notices', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    const ear = await bob.listen(channelId);
    const mouth = await alice.connect();
    await mouth.emit('message:send', { channelId, content: 'first' });
    // Late answers: a connection often breaks between a commit and its answer.
    wire.jitter(0, 15);
    const texts: string[] = [];
    const acks: Loose[] = [];
    const send = async () => {
      while (acks.length < 80) {
        const content = `message ${texts.length}`;
        texts.push(content);
        acks.push(await mouth.emit('message:send', { channelId, content }));
        if (acks.length % 10 === 0) setTimeout(() => wire.cut(), Math.random() * 15);
      }
    };
    await Promise.all(range(5).map(send));
    wire.jitter(0, 0);
    expect(acks.filter(({ ok }) => !ok)).to.deep.equal([]);
    const count = texts.length + 1;
    const rows = await query<{ id: string; seq: number; content: string }>(
      database.url,
      'SELECT id, seq::int, content FROM messages WHERE channel_id = $1 ORDER BY seq',
      [channelId],
    );
    expect(rows.map(({ seq }) => seq)).to.deep.equal(range(count).map((i) => i + 1));
    expect(
      rows
        .slice(1)
        .map(({ content }) => content)
        .sort(),
    ).to.deep.equal(texts.sort());
    const acked = acks.map(({ message }) => `${message.seq} ${message.id} ${message.content}`);
    expect(acked.sort()).to.deep.equal(
      rows
        .slice(1)
        .map(({ id, seq, content }) => `${seq} ${id} ${content}`)
        .sort(),
    );
    const heard = () => ear.received.filter(({ event }) => event === 'message:new').map(({ data }) => data);
    await until(() => heard().length >= count);
    expect(heard().map(({ eventSeq }) => eventSeq)).to.deep.equal(range(count).map((i) => i + 1));
  });

  it('are not said to be unwritten where nobody can look, since their log is locked from then on', async () => {
    const { alice } = here;
    const channelId = await here.newChannel();
    await withRows(database.url, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [channelId]);
      const sent = alice.post(`/api/channels/${channelId}/messages`, { content: 'perhaps', nonce: 'p' });
      const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
      await until(async () => (await rows(waiting)).length > 0);
      wire.cut();
      const { status, body } = await sent;
      expect([status, body.code]).to.deep.equal([503, 'DATABASE_UNAVAILABLE']);
      await rows('COMMIT');
    });
    const again = await alice.post(`/api/channels/${channelId}/messages`, { content: 'perhaps', nonce: 'p' });
    expect([again.status, again.body.seq]).to.deep.equal([201, 1]);
  });
});

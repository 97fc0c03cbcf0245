// nodes: own
// alone

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type FaultyPostgres, startPostgres } from '../rig/postgres.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Installation, install } from '../world/installation.ts';
import type { Answer, Listener, Loose } from '../world/person.ts';

/** How long a send may try before it is answered: waiting for a connection, asking, and the writer's own limit. */
const boundMs = 12_000;

describe('PostgreSQL', () => {
  let postgres: FaultyPostgres;
  let site: Installation;
  const followers: Follower[] = [];

  before(async () => {
    postgres = await startPostgres();
    site = await install({ nodes: 2, databaseUrl: postgres.url, redisUrl: await sharedRedis() });
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.close();
  });
  after(async () => {
    await site.stop();
    await postgres.stop();
  });

  async function follow(): Promise<[Follower, number]> {
    const { bob, channel } = site.here;
    const follower = new Follower({ url: bob.node.url, token: bob.token });
    followers.push(follower);
    // A node that loses PostgreSQL while it still brings a socket into its rooms lets it begin anew.
    await new Promise((resolve) => follower.socket.once('ready', resolve));
    return [follower, (await follower.join(channel.id)).seq];
  }

  async function readiness(): Promise<number[]> {
    return Promise.all(site.nodes.map((node) => node.health('/readyz')));
  }

  const becomes = (status: number) =>
    until(async () => (await readiness()).every((got) => got === status), {
      timeout: 40_000,
      message: `not ${status} on all nodes`,
    });

  /** A socket of Alice's, if she is let in at this moment. */
  async function mouthOfAlice(): Promise<Listener | null> {
    const mouth = site.here.alice.dial({ reconnection: false });
    const isIn = await new Promise<boolean>((resolve) => {
      mouth.socket.once('ready', () => resolve(true));
      for (const end of ['connect_error', 'disconnect']) mouth.socket.once(end, () => resolve(false));
    });
    if (!isIn) mouth.close();
    return isIn ? mouth : null;
  }

  /** Sends by all ways at once. @returns the answers, and how long the last one took */
  async function sendAll(count: number, nonce: string): Promise<{ answers: Answer[]; acks: Loose[]; ms: number }> {
    const { alice, channel } = site.here;
    const mouth = await mouthOfAlice();
    const begun = Date.now();
    const posts = range(1, count).map((i) => {
      const body = { content: 'hello', nonce: `${nonce}-${i}` };
      return alice.post(`/api/channels/${channel.id}/messages`, body);
    });
    const payload = (i: number) => ({ channelId: channel.id, content: 'hello', nonce: `${nonce}-s${i}` });
    const emits = range(1, mouth ? count : 0).map((i) =>
      mouth?.socket.timeout(2 * boundMs).emitWithAck('message:send', payload(i)),
    );
    const [answers, acks] = [await Promise.all(posts), await Promise.all(emits)];
    mouth?.close();
    return { answers, acks, ms: Date.now() - begun };
  }

  const away = [503, 'DATABASE_UNAVAILABLE'];

  /** By each way to PostgreSQL: a page, entities, a change. */
  function askAround(): Promise<Answer[]> {
    const { alice, bob, channel } = site.here;
    const paths = [`/api/channels/${channel.id}/messages`, '/api/auth/me', `/api/auth/users/${bob.id}`];
    return Promise.all([
      ...paths.map((path) => alice.get(path)),
      alice.patch('/api/auth/me', { displayName: 'Alice' }),
    ]);
  }

  it('may die: sends fail with 503 in bounded time, and go on by themselves when it is back', async () => {
    const [follower, from] = await follow();
    await postgres.kill();
    const { answers, ms } = await sendAll(50, 'dead');
    expect(ms).to.be.below(boundMs);
    for (const { status, body, headers } of answers) {
      expect(status).to.equal(503);
      expect(body.code).to.equal('DATABASE_UNAVAILABLE');
      expect(headers.get('retry-after')).to.match(/^\d+$/);
    }
    expect(await readiness()).to.deep.equal([503, 503]);
    for (const { status, body } of await askAround()) expect([status, body.code]).to.deep.equal(away);
    await postgres.restart();
    await becomes(200);
    const again = await sendAll(50, 'dead');
    expect(again.answers.map((answer) => answer.status)).to.not.include(503);
    const head = (await site.here.alice.get(`/api/channels/${site.here.channel.id}`)).body.lastSeq;
    await follower.reach(site.here.channel.id, head);
    expect(follower.seen(site.here.channel.id)).to.deep.equal(range(from + 1, head));
    expect(follower.connections).to.deep.equal([false]);
  });

  it('may die while somebody comes back, who is let in when it is back, with all that was missed', async () => {
    const [follower, from] = await follow();
    const { alice, channel } = site.here;
    const { socket } = follower;
    const cutOff = new Promise((resolve) => socket.once('disconnect', resolve));
    socket.io.reconnection(false);
    socket.io.engine.close();
    await cutOff;
    const { seq } = await alice.say(channel.id, 'missed');
    await postgres.kill();
    socket.io.reconnection(true);
    socket.connect();
    await until(() => socket.io.engine.readyState === 'open');
    await becomes(503);
    expect([follower.connections, follower.errors]).to.deep.equal([[false], []]);
    await postgres.restart();
    expect(await follower.connected(2)).to.equal(true);
    await follower.reach(channel.id, seq);
    expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, seq));
    expect(follower.errors).to.deep.equal([]);
    await becomes(200);
  });

  it('may hang: everyone is answered, memory stays bounded, nothing is sent twice afterwards', async () => {
    const { alice, channel } = site.here;
    const [follower, from] = await follow();
    const mouth = await alice.connect();
    const before = site.nodes.map((node) => node.memory);
    const said = await alice.say(channel.id, 'here', { nonce: 'said' });
    postgres.pause();
    const begun = Date.now();
    const waiting = range(1, 300).map(async (i) => {
      const answer = await alice.post(`/api/channels/${channel.id}/messages`, {
        content: 'x'.repeat(10_000),
        nonce: `hung-${i}`,
      });
      return { status: answer.status, code: answer.body.code, ms: Date.now() - begun };
    });
    const acks = range(1, 300).map((i) =>
      mouth.socket.timeout(30_000).emitWithAck('message:send', { channelId: channel.id, content: 'y', nonce: `h${i}` }),
    );
    // Each waits for the one before it, and none of them for its own five seconds: that would be 100 s.
    const edits = range(1, 20).map((i) =>
      mouth.socket.timeout(30_000).emitWithAck('message:edit', { messageId: said.id, content: `edit ${i}` }),
    );
    const health = Date.now();
    expect(await readiness()).to.deep.equal([503, 503]);
    expect(Date.now() - health).to.be.below(2500);
    const answers = await Promise.all(waiting);
    for (const answer of answers) {
      expect(answer).to.include({ status: 503, code: 'DATABASE_UNAVAILABLE' });
      expect(answer.ms).to.be.below(boundMs);
    }
    for (const ack of await Promise.all([...acks, ...edits]))
      expect(ack).to.include({ ok: false, code: 'DATABASE_UNAVAILABLE' });
    for (const [i, node] of site.nodes.entries()) expect(node.memory - (before[i] ?? 0)).to.be.below(150);
    postgres.resume();
    await becomes(200);
    const resent = await Promise.all(
      range(1, 300).map((i) =>
        alice.post(`/api/channels/${channel.id}/messages`, { content: 'x', nonce: `hung-${i}` }),
      ),
    );
    expect(resent.every((answer) => answer.status < 300)).to.equal(true);
    expect(new Set(resent.map((answer) => answer.body.id)).size).to.equal(300);
    const head = (await alice.get(`/api/channels/${channel.id}`)).body.lastSeq;
    await follower.reach(channel.id, head);
    expect(follower.seen(channel.id)).to.deep.equal(range(from + 1, head));
    const nonces = await countNonces('hung-');
    expect(nonces).to.equal(300);
  });

  it('that hangs does not keep a node from ending in time', async () => {
    const { alice, channel } = site.here;
    const [node] = site.nodes;
    postgres.pause();
    const changes = range(1, 10).flatMap((i) => [
      alice.post(`/api/channels/${channel.id}/messages`, { content: `last ${i}` }),
      alice.patch('/api/auth/me', { displayName: `Alice ${i}` }),
    ]);
    const answered = Promise.allSettled(changes);
    // Until they wait for PostgreSQL.
    await delay(500);
    const exit = await node?.stop();
    postgres.resume();
    await answered;
    await node?.start();
    expect(exit).to.include({ code: 0 });
    // Eight seconds for those who are being served, one for the parts, and what a busy machine takes.
    expect(exit?.ms).to.be.below(10_500);
  });

  it('never makes a node fail or log an error', async () => {
    await delay(200);
    for (const node of site.nodes) {
      expect(node.isRunning).to.equal(true);
      expect(node.failures).to.deep.equal([]);
    }
  });

  /** How many messages of the channel have a nonce that begins so. */
  async function countNonces(prefix: string): Promise<number> {
    const { alice, channel } = site.here;
    let count = 0;
    for (let after = 0; ; ) {
      const page: Loose = (await alice.get(`/api/channels/${channel.id}/messages?limit=100&after=${after}`)).body;
      count += page.messages.filter((message: Loose) => message.nonce?.startsWith(prefix)).length;
      if (!page.hasMore) return count;
      after = page.messages.at(-1).seq;
    }
  }
});

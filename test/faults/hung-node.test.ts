// nodes: own

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { NodeProcess, siteEnvironment } from '../world/node-process.ts';
import { request } from '../world/person.ts';
import { type Account, call, connectMany, register } from './life.ts';

describe('a node that hangs', () => {
  let dataDir: string;
  let database: TestDatabase;
  let redis: TestRedis;
  let here: NodeProcess;
  let there: NodeProcess;

  before(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'parley-hung-'));
    database = await createDatabase();
    redis = await startRedis();
    const environment = siteEnvironment(database.url, redis.url, dataDir);
    here = await NodeProcess.start(environment);
    there = await NodeProcess.start(environment);
  });
  after(async () => {
    there.signal('SIGCONT');
    await Promise.all([here.stop(), there.stop()]);
    await redis.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('holds up those who take access away by one wait of 2 s, whatever goes with it', async () => {
    const owner = await register(here);
    const member = await register(here);
    const bot = (await call(here, owner, 'POST', '/api/agents', { name: `b${crypto.randomUUID().slice(0, 8)}` })).body;
    const homes = [await furnish(owner, member, bot), await furnish(owner, member, bot)];
    const [listener] = await connectMany(there, member.body.accessToken, 1);
    for (const { channel } of homes) await listener?.emit('channel:join', { channelId: channel });
    const [first, second] = homes.map(({ server, channel }) => ({
      membership: `/api/servers/${server}/members/${member.body.user.id}`,
      seat: `/api/channels/${channel}/members/${member.body.user.id}`,
      channel,
    }));
    if (!first || !second) throw new Error('no home');
    // Each waits for the node that hangs, once.
    for (const address of [first.membership, second.seat, `/api/agents/${bot.id}`]) {
      await confirms(owner);
      const begun = performance.now();
      there.signal('SIGSTOP');
      expect((await call(here, owner, 'DELETE', address)).status).to.equal(200);
      expect(performance.now() - begun, address).to.be.within(1500, 3500);
      there.signal('SIGCONT');
      await there.ready();
    }
    for (const { channel } of [first, second]) {
      const { status } = await call(there, member, 'GET', `/api/channels/${channel}/messages`);
      expect(status).to.be.oneOf([403, 404]);
    }
    const authorization = `Bearer ${bot.token}`;
    expect((await request(there, 'GET', '/api/auth/me', undefined, { authorization })).status).to.equal(401);
    listener?.close();
  });

  it('holds up whoever brings several bots into a server by one wait', async () => {
    const owner = await register(here);
    const server = (await call(here, owner, 'POST', '/api/servers', { name: 'Home' })).body.id;
    const agentIds: string[] = [];
    for (const name of ['one', 'two', 'three'].map((word) => `${word}${crypto.randomUUID().slice(0, 8)}`)) {
      agentIds.push((await call(here, owner, 'POST', '/api/agents', { name })).body.id);
    }
    await confirms(owner);
    there.signal('SIGSTOP');
    const begun = performance.now();
    const { body } = await call(here, owner, 'POST', `/api/servers/${server}/agents`, { agentIds });
    const tookMs = performance.now() - begun;
    there.signal('SIGCONT');
    await there.ready();
    expect(body.added).to.deep.equal(agentIds);
    expect(tookMs).to.be.within(1500, 3500);
  });

  /** Waits until the other node confirms what it is told again, since one that did not is waited for only briefly. */
  async function confirms(person: Account): Promise<void> {
    const begun = performance.now();
    for (let i = 0; i < 2 || performance.now() - begun < 500; i++) {
      await call(here, person, 'PATCH', '/api/auth/me', { displayName: `Name ${i}` });
    }
  }

  /** A server with a private channel, and others in both. */
  async function furnish(owner: Account, member: Account, bot: { id: string; userId: string }) {
    const server = (await call(here, owner, 'POST', '/api/servers', { name: 'Home', isPublic: true })).body.id;
    await call(here, member, 'POST', `/api/servers/${server}/join`);
    await call(here, owner, 'POST', `/api/servers/${server}/agents`, { agentIds: [bot.id] });
    const secret = { name: 'secret', isPrivate: true };
    const channel = (await call(here, owner, 'POST', `/api/servers/${server}/channels`, secret)).body.id;
    for (const userId of [member.body.user.id, bot.userId]) {
      await call(here, owner, 'POST', `/api/channels/${channel}/members`, { userId });
    }
    return { server, channel };
  }
});

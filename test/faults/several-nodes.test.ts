// nodes: own

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { migrations } from '../../src/database/migrations.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { NodeProcess } from '../world/node-process.ts';
import { request } from '../world/person.ts';
import { codesIn, connectMany, home, plain } from './life.ts';

describe('a Parley of several nodes', () => {
  let dataDir: string;

  let database: TestDatabase;
  let redis: TestRedis;
  const nodes: NodeProcess[] = [];

  beforeEach(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'parley-site-'));
    database = await createDatabase();
    redis = await startRedis();
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    await redis.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async (): Promise<NodeProcess> => {
    const site = { DATABASE_URL: database.url, REDIS_URL: redis.url };
    const node = await NodeProcess.start({ ...plain(dataDir), ...site, NEW_ACCOUNT_TIER: 'member' });
    nodes.push(node);
    return node;
  };

  it('starts two at once on an empty database: migrated once, one code, one conversation', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    expect([...codesIn(one), ...codesIn(other)]).to.have.lengthOf(1);
    const migrated = [one, other].flatMap(({ lines }) => lines.filter((line) => line.includes('was migrated')));
    expect(migrated).to.have.lengthOf(1);
    expect(JSON.parse(migrated[0] ?? '{}').migrations).to.have.lengthOf(migrations.length);
    await expectConversation(one, other);
    expect([...one.failures, ...other.failures]).to.deep.equal([]);
  });

  it('starts without its Redis, says so, works all the same, and heals when Redis comes', async () => {
    await redis.kill();
    const [one, other] = await Promise.all([start(), start()]);
    expect(await one.health('/healthz')).to.equal(200);
    const { status, body } = await request(one, 'GET', '/readyz');
    expect([status, body]).to.deep.equal([503, { ok: false, problems: ['Redis does not answer.'] }]);
    await expectConversation(one, other);
    await redis.restart();
    await until(async () => (await one.health('/readyz')) === 200 && (await other.health('/readyz')) === 200);
    await expectConversation(one, other);
    expect([...one.failures, ...other.failures]).to.deep.equal([]);
  });
});

/** What is said on each node is heard on the other. */
async function expectConversation(one: NodeProcess, other: NodeProcess): Promise<void> {
  const { account, channel } = await home(one);
  const [here] = await connectMany(one, account.body.accessToken, 1);
  const [there] = await connectMany(other, account.body.accessToken, 1);
  if (!here || !there) throw new Error('no sockets');
  for (const ear of [here, there]) expect((await ear.emit('channel:join', { channelId: channel })).ok).to.equal(true);
  await here.emit('message:send', { channelId: channel, content: 'from one' });
  await there.emit('message:send', { channelId: channel, content: 'from the other' });
  for (const ear of [here, there]) {
    await ear.next('message:new', ({ content }) => content === 'from the other');
    expect(ear.all('message:new').map(({ content }) => content)).to.deep.equal(['from one', 'from the other']);
    ear.close();
  }
}

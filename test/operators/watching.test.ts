// nodes: own

import { expect } from 'chai';
import { allCalls } from '../../src/contract/calls.ts';
import { operatorCalls } from '../../src/contract/operator.ts';
import { operatorTaskCalls } from '../../src/contract/operator-tasks.ts';
import { operatorWatchCalls } from '../../src/contract/operator-watch.ts';
import { Durations } from '../../src/features/operators/node-vitals.ts';
import { settingsInForce } from '../../src/settings/in-force.ts';
import { environmentSchema } from '../../src/settings/settings.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import { type Loose, type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('what operators see', () => {
  let cluster: Cluster;
  let here: World;
  let operator: Person;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const sql = (text: string, values: unknown[] = []) => query<Loose>(cluster.databaseUrl, text, values);
  const nodes = async (of: Person): Promise<Loose[]> => (await of.get('/api/operator/nodes')).body;
  const measured = async (of: Person, after = 0): Promise<Loose[]> =>
    (await of.get(`/api/operator/metrics?after=${after}`)).body.nodes;

  before(async () => {
    cluster = await startCluster({ nodes: 2, settings: { accounts: { personalTokens: 7 } } });
    here = await world(cluster);
    operator = await register(at(0));
    await sql('UPDATE users SET is_operator = true WHERE id = $1', [operator.id]);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('is for operators alone, in a session of their own', async () => {
    const { token } = (await operator.post('/api/tokens', { name: 'x' })).body;
    const program = { authorization: `Bearer ${token}` };
    const stranger = { authorization: `Bearer ${here.alice.token}` };
    const groups = { ...operatorCalls, ...operatorTaskCalls, ...operatorWatchCalls };
    const below = Object.values(allCalls).filter(({ path }) => path.startsWith('/api/operator/'));
    expect(below.length).to.equal(Object.keys(groups).length);
    for (const { method, path } of below) {
      const given = ['GET', 'DELETE'].includes(method) ? undefined : { tier: 'member', userId: operator.id };
      const where = path.replace(/:\w+/g, '019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d');
      if (path.endsWith('/decide')) Object.assign(given ?? {}, { action: 'dismiss' });
      const refused = await request(at(1), method, where, given, stranger);
      expect([refused.status, refused.body.code, refused.body.capability], where).to.deep.equal([
        403,
        'FORBIDDEN',
        'instance:admin',
      ]);
      const foreign = await request(at(0), method, where, given, program);
      expect([foreign.status, foreign.body.code], where).to.deep.equal([403, 'INSUFFICIENT_PAT_SCOPE']);
    }
  });

  it('takes no confirmation for numbers alone', async () => {
    const other = await register(at(1));
    await sql('UPDATE users SET is_operator = true WHERE id = $1', [other.id]);
    await sql(`UPDATE sessions SET created_at = now() - interval '1 day' WHERE user_id = $1`, [other.id]);
    for (const what of ['overview', 'nodes', 'metrics', 'storage', 'jobs'])
      expect((await other.get(`/api/operator/${what}`)).status, what).to.equal(200);
    for (const what of ['servers', 'settings', 'jobs/dead', 'users', 'audit'])
      expect((await other.get(`/api/operator/${what}`)).body.code, what).to.equal('CONFIRMATION_REQUIRED');
  });

  it('counts exactly what is little, and says of the rest that it is an estimate', async () => {
    const before = (await operator.get('/api/operator/overview')).body;
    await here.alice.say(here.channel.id, 'one more');
    await register(at(0));
    const {
      people,
      messages,
      servers,
      nodes: count,
      databaseBytes,
    } = (await operator.get('/api/operator/overview')).body;
    expect(people).to.deep.equal({ count: before.people.count + 1, isAbout: false });
    expect(messages).to.deep.equal({ count: before.messages.count + 1, isAbout: false });
    expect(servers).to.deep.equal(before.servers);
    expect(count).to.equal(2);
    expect(databaseBytes).to.be.above(1_000_000);
  });

  it('has each server with its owner and how much is in it, newest first', async () => {
    const { alice, bob } = here;
    const made = (await bob.post('/api/servers', { name: 'Large Place' })).body;
    const [channel] = (await bob.get(`/api/servers/${made.id}/channels`)).body;
    const file = await bob.upload('a.txt', Buffer.from('x'.repeat(500)));
    await bob.say(channel.id, 'with a file', { attachments: [{ id: file.id }] });
    await bob.post(`/api/servers/${made.id}/workspace/files`, { name: 'readme.md', content: 'y'.repeat(300) });
    const list = async (search: string): Promise<Loose[]> =>
      (await operator.get(`/api/operator/servers?search=${search}`)).body;
    const [small] = await list('large%20PL');
    expect(small).to.deep.include({ id: made.id, members: 1, filesBytes: 300 });
    expect(small?.owner.id).to.equal(bob.id);
    expect(small?.attachments).to.deep.equal({ bytes: 500, isAbout: false });
    const { count, isAbout } = small?.messages ?? {};
    expect([count > 0, isAbout]).to.deep.equal([true, false]);
    await sql(
      `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
       SELECT gen_random_uuid(), $1, 100000 + n, $2, 'x', now(), now() FROM generate_series(1, 3000) AS n`,
      [channel.id, bob.id],
    );
    await sql('ANALYZE messages');
    const [large] = await list('large');
    expect(large?.messages.isAbout).to.equal(true);
    expect(large?.messages.count).to.be.within(1500, 6000);
    expect((await list('')).map(({ id }) => id)).to.deep.equal([made.id, here.server.id]);
    const second = await operator.get(`/api/operator/servers?limit=1&cursor=${made.id}`);
    expect([second.body[0].id, second.headers.get('x-has-more')]).to.deep.equal([here.server.id, 'false']);
    expect((await list('%25')).length, 'no pattern').to.equal(0);
    expect(alice.id).to.equal(second.body[0].owner.id);
  });

  it('has what takes room, by kind', async () => {
    const before = (await operator.get('/api/operator/storage')).body;
    const bytes = (storage: Loose, kind: string) => storage.files.find((one: Loose) => one.kind === kind);
    await here.alice.upload('b.txt', Buffer.from('z'.repeat(700)));
    const after = (await operator.get('/api/operator/storage')).body;
    expect(bytes(after, 'attachments').bytes - bytes(before, 'attachments').bytes).to.equal(700);
    expect(bytes(after, 'attachments').isAbout).to.equal(false);
    const sum = after.parts.reduce((all: number, one: Loose) => all + one.bytes, 0);
    expect(sum).to.equal(after.databaseBytes);
    for (const { part, bytes } of after.parts) expect(bytes, part).to.be.above(0);
  });

  it('estimates by a sample what is stored in many files', async () => {
    const { id } = await here.alice.upload('c.txt', Buffer.from('c'.repeat(700)));
    const same = 'uploader_id, blob_id, filename, content_type, size, created_at';
    await sql(
      `INSERT INTO attachments (id, ${same})
       SELECT gen_random_uuid(), ${same} FROM attachments, generate_series(1, 40000) WHERE id = $1`,
      [id],
    );
    await sql('ANALYZE attachments');
    const { files } = (await operator.get('/api/operator/storage')).body;
    const many = files.find(({ kind }: Loose) => kind === 'attachments');
    expect(many.isAbout).to.equal(true);
    expect(many.count).to.be.within(20_000, 80_000);
    expect(many.bytes).to.be.within(20_000 * 700, 80_000 * 700);
  });

  it('has all nodes, with what each announced, whichever is asked', async () => {
    const expected = cluster.nodes.map(({ id }) => id).sort();
    for (const node of cluster.nodes) {
      const listed = await until(async () => {
        const all = await nodes(operator.on(node));
        return all.length === 2 && all;
      });
      expect(listed.map(({ id }) => id).sort()).to.deep.equal(expected);
      expect(listed.filter(({ isHere }) => isHere).map(({ id }) => id)).to.deep.equal([node.id]);
      expect(listed.some(({ isSilent }) => isSilent)).to.equal(false);
    }
    await sql(
      `INSERT INTO cluster_nodes (id, host, pid, version, started_at, seen_at)
       VALUES ('gone', 'elsewhere', 1, '0.1.0', now(), now() - interval '1 minute')`,
    );
    const gone = (await nodes(operator)).find(({ id }) => id === 'gone');
    expect(gone).to.deep.include({ isSilent: true, isHere: false, vitals: null, version: '0.1.0' });
    expect((await operator.get('/api/operator/overview')).body.nodes).to.equal(2);
    await sql(`DELETE FROM cluster_nodes WHERE id = 'gone'`);
  });

  it('has what every node measured of itself, of which only what is new is sent again', async () => {
    const { socket } = await here.bob.on(at(1)).connect();
    const found = await until(
      async () => {
        const all = await measured(operator);
        const [mine] = all.filter(({ id }) => id === at(1).id);
        return (
          all.length === 2 && all.every(({ points }) => points.length > 1) && mine?.points.at(-1).sockets > 0 && all
        );
      },
      { timeout: 60_000 },
    );
    socket.disconnect();
    expect(found.map(({ id }) => id)).to.deep.equal(cluster.nodes.map(({ id }) => id).sort());
    const all = found.flatMap(({ points }) => points);
    expect(all.some(({ requestsPerSecond, requestP95Ms }) => requestsPerSecond > 0 && requestP95Ms > 0)).to.equal(true);
    for (const { memoryBytes } of all) expect(memoryBytes).to.be.above(10_000_000);
    const last = Math.max(...all.map(({ at: time }) => time));
    const news = (await measured(operator.on(at(1)), last)).flatMap(({ points }) => points);
    expect(news.every(({ at: time }) => time > last)).to.equal(true);
    expect(news.length).to.be.below(all.length);
  });

  it('lists no node that ended in order', async () => {
    const more = await startCluster({ nodes: 1, databaseUrl: cluster.databaseUrl, redisUrl: null });
    const [extra] = more.nodes;
    await until(async () => (await nodes(operator)).some(({ id }) => id === extra?.id));
    await more.stop();
    expect((await nodes(operator)).map(({ id }) => id)).not.to.include(extra?.id);
  });

  it('has every setting and where it comes from', async () => {
    const { body } = await operator.get('/api/operator/settings');
    const of = (name: string) => body.find((one: Loose) => one.name === name);
    expect(of('accounts.personalTokens')).to.deep.include({ source: 'program', value: '7', isSet: true });
    expect(of('agents.maxPerOwner')).to.deep.include({ source: 'default', file: 'config/default.json', isSet: false });
    expect(of('JWT_SECRET')).to.deep.include({ isSecret: true, value: null });
    expect(body.some((one: Loose) => one.source === 'file' && one.file === 'config/test.json')).to.equal(true);
  });
});

describe('the settings in force', () => {
  it('show no secret, and of no variable that nobody has decided about anything but that it is set', () => {
    const names = [...Object.keys(environmentSchema.shape), 'OAUTH_CORP_CLIENT_SECRET', 'OAUTH_CORP_CLIENT_ID'];
    const environment = Object.fromEntries(names.map((name) => [name, `hush-${name}`]));
    const all = settingsInForce(testSettings('postgres://localhost/none', null), environment);
    const secrets = ['JWT_SECRET', 'DATABASE_URL', 'DATABASE_REPLICA_URLS', 'REDIS_URL', 'REDIS_SENTINEL_PASSWORD'];
    const more = ['SMTP_URL', 'VAPID_PRIVATE_KEY', 'METRICS_TOKEN', 'SOCKET_ADMIN', 'MODEL_PROXY_KEY'];
    for (const name of [...secrets, ...more, 'BOOTSTRAP_INVITE_CODE', 'OAUTH_CORP_CLIENT_SECRET']) {
      const found = all.find((one) => one.name === name);
      expect(found, name).to.deep.include({ isSecret: true, isSet: true, value: null, source: 'environment' });
      expect(JSON.stringify(all), name).not.to.contain(`hush-${name}"`);
    }
    expect(all.find(({ name }) => name === 'PUBLIC_URL')?.value).to.equal('hush-PUBLIC_URL');
    const bare = settingsInForce(testSettings('postgres://localhost/none', null), {});
    expect(bare.find(({ name }) => name === 'PORT')).to.deep.include({
      source: 'default',
      value: '3000',
      isSet: false,
    });
  });
});

describe('durations that are counted', () => {
  it('tell how long a share of them took at most, to a tenth', () => {
    const durations = new Durations();
    expect(durations.within(0.95)).to.equal(0);
    for (let ms = 1; ms <= 1000; ms++) durations.add(ms);
    expect(durations.within(0.95)).to.be.within(950, 1045);
    expect(durations.within(0.5)).to.be.within(500, 550);
    durations.add(0);
    durations.add(1e9);
    expect(durations.within(1)).to.be.above(1000);
  });
});

// nodes: own

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Check } from '../../src/cli/doctor/check.ts';
import { examine } from '../../src/cli/doctor/doctor.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { doctorPath } from '../../src/infrastructure/doctor-token.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { startMailServer } from '../accounts/mailbox.ts';
import { startBucket } from '../rig/bucket.ts';
import { atEnd } from '../rig/ending.ts';
import { freePort } from '../rig/free-port.ts';
import { type ProxyHabits, startHttpProxy } from '../rig/http-proxy.ts';
import { createDatabase, startPostgres } from '../rig/postgres.ts';
import { startRedis } from '../rig/redis.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { parley } from '../world/operator.ts';
import { query, withRows } from '../world/sql.ts';

const secret = randomBytes(32).toString('base64');
const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-doctor-'));
atEnd(() => rmSync(dataDir, { recursive: true, force: true }));

type Report = Record<string, Pick<Check, 'status' | 'text'> & { advice: string }>;

describe('parley doctor', () => {
  let behind: Cluster;
  let direct: Cluster;
  let env: Record<string, string>;
  before(async () => {
    const jwtSecrets = [{ kid: 'one', secret }];
    const settings = { jwtSecrets, dataDir };
    [behind, direct] = await Promise.all([
      startCluster({ nodes: 2, settings: { ...settings, trustProxy: 1 } }),
      startCluster({ nodes: 1, settings }),
    ]);
    const mail = await startMailServer();
    atEnd(() => mail.stop());
    const redis = await startRedis();
    env = {
      NODE_ENV: 'production',
      DATABASE_URL: behind.databaseUrl,
      REDIS_URL: redis.url,
      JWT_SECRET: secret,
      VAPID_PRIVATE_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: dataDir,
      TRUST_PROXY: '1',
      SMTP_URL: mail.url,
      MAIL_FROM: 'Parley <chat@example.com>',
      PUBLIC_URL: (await proxied({})).url,
    };
  });
  after(() => Promise.all([behind.stop(), direct.stop()]));

  const portsOf = ({ nodes }: Cluster) => nodes.map(({ url }) => Number(new URL(url).port));
  const proxied = (habits: ProxyHabits, cluster = behind) => startHttpProxy(portsOf(cluster), habits);

  /** The checks by their names. */
  async function report(
    change: Record<string, string | undefined> = {},
    mailTo: string | null = null,
  ): Promise<Report> {
    const checks = await examine({ ...env, ...change }, mailTo);
    const named = checks.map(
      ({ name, status, text, advice }) => [name, { status, text, advice: advice ?? '' }] as const,
    );
    expect(new Set(named.map(([name]) => name)).size, 'each name once').to.equal(named.length);
    return Object.fromEntries(named);
  }

  it('finds nothing wrong where nothing is, and leaves nothing behind', async () => {
    const rowsBefore = await withRows(behind.databaseUrl, (rows) => rows('SELECT count(*) FROM blobs'));
    const found = await report();
    const problems = Object.entries(found).filter(([, { status }]) => status === 'problem');
    expect(problems).to.deep.equal([]);
    for (const name of [
      ...[
        'settings',
        'secrets.jwt',
        'push',
        'disk',
        'database',
        'database.migrations',
        'database.connections',
        'clock',
      ],
      ...['files', 'redis', 'redis.messages', 'redis.writes', 'redis.memory', 'redis.persistence', 'mail'],
      ...['public', 'public.node', 'public.clock', 'proxy.address', 'proxy.host', 'proxy.protocol'],
      ...['sockets.websocket', 'sockets.polling'],
    ])
      expect(found[name]?.status, `${name}: ${found[name]?.text}`).to.equal('ok');
    expect(found.settings?.text).to.contain('DATABASE_URL').and.not.contain(secret);
    expect(found['public.node']?.text).to.contain('2 nodes answer');
    expect(await withRows(behind.databaseUrl, (rows) => rows('SELECT count(*) FROM blobs'))).to.deep.equal(rowsBefore);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('doctor-'))).to.deep.equal([]);
  });

  it('prints a line a check, or JSON, and its exit code says whether there is a problem', async () => {
    const [well, broken] = await Promise.all([
      parley(env, ['doctor']),
      parley({ ...env, REDIS_URL: `redis://127.0.0.1:${await freePort()}` }, ['doctor', '--json']),
    ]);
    expect([well.code, well.complaint]).to.deep.equal([0, '']);
    expect(well.out)
      .to.match(/^ok +database +PostgreSQL \S+/m)
      .and.to.match(/\d+ ok, \d+ warnings, 0 problems\.\n$/);
    expect(well.out).to.not.contain(secret);
    expect(broken.code).to.equal(1);
    const said = JSON.parse(broken.out);
    expect(said.ok).to.equal(false);
    expect(said.checks.filter(({ status }: Check) => status === 'problem')).to.have.lengthOf(1);
  });

  it('names a setting that cannot be read, and a variable that is misspelt', async () => {
    const wrong = await report({ PORT: 'many' });
    expect(wrong.settings).to.include({ status: 'problem' });
    expect(wrong.settings?.text).to.contain('PORT');
    const misspelt = await report({ REDIS_URL: undefined, REDIS_ULR: 'redis://localhost' });
    expect(misspelt['settings.names']).to.include({ status: 'warning' });
    expect(misspelt['settings.names']?.text).to.contain('REDIS_ULR');
  });

  it('tells weak secrets from strong ones, and shows none', async () => {
    const found = await report({ JWT_SECRET: 'a-long-random-text-the-same-on-every-node', METRICS_TOKEN: 'short' });
    expect(found['secrets.jwt']?.status).to.equal('problem');
    expect(found['secrets.metrics']?.status).to.equal('warning');
    expect(JSON.stringify(found)).to.not.contain('a-long-random').and.not.contain('"short"');
    expect((await report({ VAPID_PRIVATE_KEY: undefined })).push?.status).to.equal('warning');
    expect((await report({ VAPID_PRIVATE_KEY: undefined, PUSH: 'off' })).push?.status).to.equal('ok');
  });

  describe('of the database says', () => {
    const nowhere = async () => `postgres://parley:x@127.0.0.1:${await freePort()}/parley`;

    it('that it cannot be reached, or does not answer', async () => {
      expect((await report({ DATABASE_URL: await nowhere() })).database).to.include({ status: 'problem' });
      const { host, port } = { host: '127.0.0.1', port: Number(new URL(behind.databaseUrl).port) };
      const line = await startProxy(port);
      line.hold();
      const url = new URL(behind.databaseUrl);
      url.host = `${host}:${line.port}`;
      expect((await report({ DATABASE_URL: url.href })).database).to.include({ status: 'problem' });
      await line.stop();
    });

    it('that it is empty, that another role owns it, and that it has room for too few connections', async () => {
      const place = await createDatabase();
      const role = `doctor_${randomBytes(4).toString('hex')}`;
      const empty = await report({ DATABASE_URL: place.url });
      expect(empty['database.migrations']).to.include({ status: 'warning' });
      expect(empty.files).to.equal(undefined);
      // Only a superuser makes roles: it takes a PostgreSQL of the test's own.
      const own = await startPostgres();
      await migrate(own.url, createLog('silent'));
      await query(own.superuserUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'doctor' CONNECTION LIMIT 5`);
      const url = new URL(own.url);
      url.username = role;
      url.password = 'doctor';
      const foreign = await report({ DATABASE_URL: url.href });
      expect(foreign['database.rights']).to.include({ status: 'problem' });
      expect(foreign['database.connections']).to.include({ status: 'problem' });
      await own.stop();
      await place.drop();
    });
  });

  it('says of a bucket whether it takes files, and what is wrong with it and nothing else', async () => {
    const bucket = await startBucket();
    const { endpoint, bucket: name, keys } = bucket.settings;
    const s3 = {
      ...{ S3_BUCKET: name, S3_ENDPOINT: endpoint },
      ...{ S3_ACCESS_KEY_ID: keys?.accessKeyId, S3_SECRET_ACCESS_KEY: keys?.secretAccessKey },
    };
    const stores = (found: Report) =>
      ['database', 'files', 'files.s3'].map((check) => found[check]?.status ?? 'not there');
    expect(stores(await report(s3))).to.deep.equal(['ok', 'ok', 'ok']);
    const used = { ...s3, BLOB_STORE: 's3' };
    bucket.requests.length = 0;
    expect(stores(await report(used))).to.deep.equal(['ok', 'ok', 'not there']);
    expect(bucket.requests.map((request) => request.split(' ')[0])).to.deep.equal(['PUT', 'GET']);
    const locked = await report({ ...used, S3_SECRET_ACCESS_KEY: 'another' });
    expect(stores(locked)).to.deep.equal(['ok', 'problem', 'not there']);
    expect(locked.files?.text).to.contain(name).and.contain('SignatureDoesNotMatch').and.not.contain('another');
    expect((await report({ ...used, S3_BUCKET: 'elsewhere' })).files?.text).to.contain('NoSuchBucket');
    bucket.spoil(/^PUT /, 'silence');
    expect(stores(await report(s3))).to.deep.equal(['ok', 'ok', 'problem']);
    await bucket.stop();
    expect(stores(await report(used))).to.deep.equal(['ok', 'problem', 'not there']);
  });

  it('says of Redis that it is away, or that its user may do too little', async () => {
    const away = await report({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    expect(away.redis).to.include({ status: 'problem' });
    const redis = await startRedis();
    const { Redis } = await import('ioredis');
    const admin = new Redis(redis.url);
    await admin.acl('SETUSER', 'poor', 'on', '>poor', '~*', 'resetchannels', '+@all', '-set');
    await admin.config('SET', 'maxmemory', '100mb');
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    admin.disconnect();
    const poor = await report({ REDIS_URL: redis.url.replace('redis://', 'redis://poor:poor@') });
    expect(poor['redis.messages'] ?? poor.redis).to.include({ status: 'problem' });
    const small = await report({ REDIS_URL: redis.url });
    expect(small['redis.memory']).to.include({ status: 'warning' });
    redis.pause();
    expect((await report({ REDIS_URL: redis.url })).redis).to.include({ status: 'problem' });
    redis.resume();
  });

  it('says of mail that its server is away or refuses the password, and sends one where that is asked for', async () => {
    const away = await report({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` }, 'me@example.com');
    expect(away.mail).to.include({ status: 'problem' });
    expect(away['mail.sent']).to.equal(undefined);
    const strict = await startMailServer({
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      onAuth: (_auth, _session, done) => done(new Error('no')),
    });
    const refused = await report({ SMTP_URL: strict.url.replace('smtp://', 'smtp://me:wrong@') });
    expect(refused.mail).to.include({ status: 'problem' });
    expect(JSON.stringify(refused)).to.not.contain('wrong');
    await strict.stop();
    const open = await startMailServer();
    expect((await report({ SMTP_URL: open.url }, 'me@example.com'))['mail.sent']).to.include({ status: 'ok' });
    expect(open.mails.map(({ to }) => to?.[0]?.address)).to.deep.equal(['me@example.com']);
    await open.stop();
    expect((await report({ SMTP_URL: undefined })).mail).to.include({ status: 'warning' });
  });

  describe('of the way from the public URL to the nodes says', () => {
    it('that there is none, that it leads elsewhere, or to another installation', async () => {
      const closed = await report({ PUBLIC_URL: `http://127.0.0.1:${await freePort()}` });
      expect(closed['public.node']).to.include({ status: 'problem' });
      const unknown = await report({ PUBLIC_URL: 'https://nobody.invalid' });
      expect(unknown['public.dns']).to.include({ status: 'problem' });
      const location = 'https://elsewhere.example/';
      const moved = await proxied({ instead: { status: 301, headers: { location } } });
      expect((await report({ PUBLIC_URL: moved.url }))['public.node']?.text).to.contain(location);
      const dead = await proxied({ instead: { status: 502 } });
      expect((await report({ PUBLIC_URL: dead.url }))['public.node']?.text).to.contain('502');
      const foreign = await report({ JWT_SECRET: randomBytes(32).toString('base64') });
      expect(foreign['public.node']?.text).to.contain('no node of this installation');
    });

    it('that too few proxies are trusted, or that anyone may say who they are', async () => {
      const behindOne = await report({ PUBLIC_URL: (await proxied({}, direct)).url, TRUST_PROXY: '0' });
      expect(behindOne['proxy.address']).to.include({ status: 'problem' });
      expect(behindOne['proxy.address']?.advice).to.contain('TRUST_PROXY=1');
      const forgeable = await report({ PUBLIC_URL: (await proxied({ forwardedFor: 'pass' })).url });
      expect(forgeable['proxy.address']).to.include({ status: 'problem' });
      const replaced = await report({ PUBLIC_URL: (await proxied({ forwardedFor: 'replace' })).url });
      expect(replaced['proxy.address']).to.include({ status: 'ok' });
      const differs = await report({ TRUST_PROXY: '2' });
      expect(differs['proxy.settings']).to.include({ status: 'warning' });
    });

    it('that WebSockets do not get through, and that sessions do not stick', async () => {
      const shut = await report({ PUBLIC_URL: (await proxied({ upgrades: false })).url });
      expect(shut['sockets.websocket']).to.include({ status: 'problem' });
      expect(shut['sockets.polling']).to.include({ status: 'ok' });
      const loose = await report({ PUBLIC_URL: (await proxied({ sticky: false })).url });
      expect(loose['sockets.polling']).to.include({ status: 'problem' });
      expect(loose['sockets.websocket']).to.include({ status: 'ok' });
    });
  });

  it('alone learns from a node what that sees', async () => {
    const url = `${direct.nodes[0]?.url}${doctorPath}`;
    const asked = (token: string) => fetch(url, { headers: { 'x-parley-doctor': token } }).then(({ status }) => status);
    const nobody = await fetch(`${direct.nodes[0]?.url}/no-such-page`).then(({ status }) => status);
    expect(await asked('')).to.equal(nobody);
    expect(await asked(`${Date.now()}.${'0'.repeat(64)}`)).to.equal(nobody);
  });
});

// nodes: own

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { isKnownEnvironment } from '../src/settings/config-files.ts';
import { fileSchema } from '../src/settings/config-schema.ts';
import { loadSettings, SettingsError, siteOf } from '../src/settings/settings.ts';

describe('the settings', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'parley-settings-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const load = (environment: Record<string, string | undefined> = {}) =>
    loadSettings({ DATA_DIR: dataDir, ...environment });

  it('have a sane default for everything', () => {
    expect(load()).to.deep.include({
      environment: 'development',
      port: 3000,
      host: '0.0.0.0',
      publicUrl: null,
      databaseUrl: null,
      redisUrl: null,
      dataDir,
      corsOrigins: [],
      trustProxy: 0,
      logLevel: 'info',
      rateLimits: true,
      bootstrapInviteCode: null,
      newAccountTier: 'visitor',
    });
  });

  it('let a server have no more channels than their list shows', () => {
    expect(load().servers.maxChannels).to.equal(1000);
    const { maxChannels } = fileSchema.shape.servers.shape;
    expect([1000, 1001].map((count) => maxChannels.safeParse(count).success)).to.deep.equal([true, false]);
  });

  it('ask Sentinels for the primary, with the name and password of REDIS_URL for it', () => {
    const sentinels = { REDIS_SENTINELS: 'a.internal:5000, [::1]', REDIS_SENTINEL_PASSWORD: 'told' };
    const hosts = [
      { host: 'a.internal', port: 5000 },
      { host: '::1', port: 26_379 },
    ];
    const asked = { hosts, name: 'mymaster', username: null, password: 'told' };
    expect(load(sentinels)).to.deep.include({ redisSentinels: asked, redisUrl: 'redis://mymaster' });
    const own = { ...sentinels, REDIS_SENTINEL_NAME: 'chat', REDIS_URL: 'redis://me:secret@chat/2' };
    const named = { redisSentinels: { ...asked, name: 'chat' }, redisUrl: 'redis://me:secret@chat/2' };
    expect(load(own)).to.deep.include(named);
    expect(() => load({ ...sentinels, REDIS_CLUSTER: 'on' })).to.throw(/a cluster has no Sentinels/);
    expect(() => load({ REDIS_SENTINELS: 'redis://a' })).to.throw(/REDIS_SENTINELS is wrong: must be a comma list/);
  });

  it('refuse a time that timers cannot keep: they would run out at once', () => {
    const { data } = fileSchema.safeParse(JSON.parse(readFileSync('config/default.json', 'utf8')));
    const said = (change: object) =>
      fileSchema
        .safeParse({ ...data, ...change })
        .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    const longest = 'must be at most 1000000000, which is 11 days';
    for (const sweepMs of [2 ** 31, 1_000_000_001]) {
      expect(said({ delivery: { ...data?.delivery, sweepMs } })).to.deep.equal([`delivery.sweepMs ${longest}`]);
    }
    expect(said({ presence: { ...data?.presence, renewMs: 2 ** 31 } })).to.deep.equal([`presence.renewMs ${longest}`]);
    expect(said({ delivery: { ...data?.delivery, sweepMs: 1_000_000_000 } })).to.equal(undefined);
    for (const name of ['pingIntervalMs', 'pingTimeoutMs']) {
      const ping = (ms: number) => said({ sockets: { ...data?.sockets, [name]: ms } });
      expect(ping(300_001)).to.deep.equal([`sockets.${name} must be at most 300000, which is 5 minutes`]);
      expect(ping(300_000)).to.equal(undefined);
    }
  });

  it('know the environments that have a file, and the one without a name', () => {
    for (const name of ['production', 'test', load().environment])
      expect(isKnownEnvironment(name), name).to.equal(true);
    for (const name of ['prod', 'staging', 'x/../y']) expect(isKnownEnvironment(name), name).to.equal(false);
  });

  const readings: [name: string, value: string, key: string, expected: unknown][] = [
    ['PORT', '8080', 'port', 8080],
    ['PORT', '0', 'port', 0],
    ['HOST', '::1', 'host', '::1'],
    ['PUBLIC_URL', 'https://parley.example/', 'publicUrl', 'https://parley.example'],
    ['DATABASE_URL', 'postgresql://u:p@db:5432/x', 'databaseUrl', 'postgresql://u:p@db:5432/x'],
    ['REDIS_URL', 'rediss://cache:6380/1', 'redisUrl', 'rediss://cache:6380/1'],
    ['REDIS_SENTINELS', 'a.internal:5000, [::1]', 'redisUrl', 'redis://mymaster'],
    [
      'CORS_ORIGINS',
      ' https://a.example , https://b.example,',
      'corsOrigins',
      ['https://a.example', 'https://b.example'],
    ],
    ['CORS_ORIGINS', 'HTTPS://A.example:443/,http://b:80', 'corsOrigins', ['https://a.example', 'http://b']],
    ['CORS_ORIGINS', 'capacitor://localhost', 'corsOrigins', ['capacitor://localhost']],
    ['CORS_ORIGINS', '*', 'corsOrigins', []],
    ['TRUST_PROXY', '2', 'trustProxy', 2],
    ['LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['RATE_LIMITS', 'off', 'rateLimits', false],
    ['BOOTSTRAP_INVITE_CODE', 'WELCOME-1', 'bootstrapInviteCode', 'WELCOME-1'],
    ['NEW_ACCOUNT_TIER', 'member', 'newAccountTier', 'member'],
    ['MAIL_FROM', 'chat@example.com', 'mailFrom', 'chat@example.com'],
    ['MAIL_FROM', 'Our chat <chat@localhost>', 'mailFrom', 'Our chat <chat@localhost>'],
    [
      'APP_PROXY_ALLOW',
      'localhost, 10.0.0.7:8080,[::1]:80',
      'appProxyAllow',
      ['localhost', '10.0.0.7:8080', '[::1]:80'],
    ],
    ['APP_PROXY_ALLOW', '0:0:0:0:0:0:0:1, Bücher.intern:80', 'appProxyAllow', ['[::1]', 'xn--bcher-kva.intern:80']],
    ['METRICS_TOKEN', 'a token\n', 'metricsToken', 'a token'],
    ['S3_REGION', '', 's3', null],
    ['BLOB_STORE', 'database', 'blobStore', 'database'],
  ];
  for (const [name, value, key, expected] of readings) {
    it(`read ${name}=${value}`, () => {
      expect(load({ [name]: value })).to.have.deep.property(key, expected);
    });
  }

  it('read where files are, with all that a bucket needs', () => {
    const bucket = { S3_BUCKET: 'files' };
    expect(load({ ...bucket, AWS_REGION: 'eu-central-1' }).s3).to.deep.equal({
      ...{
        bucket: 'files',
        region: 'eu-central-1',
        pathStyle: false,
        prefix: '',
        keys: null,
        aws: {},
        redirects: false,
      },
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      publicEndpoint: 'https://s3.eu-central-1.amazonaws.com',
    });
    const keys = { S3_ACCESS_KEY_ID: 'me', S3_SECRET_ACCESS_KEY: 'secret' };
    const own = { S3_ENDPOINT: 'http://minio:9000/', S3_PREFIX: 'chat/files', S3_REDIRECTS: 'on', BLOB_STORE: 's3' };
    const { s3, blobStore } = load({ ...bucket, ...keys, ...own, AWS_ROLE_ARN: 'arn:x' });
    expect(blobStore).to.equal('s3');
    expect(s3).to.deep.include({
      endpoint: 'http://minio:9000',
      pathStyle: true,
      prefix: 'chat/files/',
      redirects: true,
    });
    expect(s3).to.deep.include({
      keys: { accessKeyId: 'me', secretAccessKey: 'secret' },
      aws: { AWS_ROLE_ARN: 'arn:x' },
    });
    for (const [given, said] of [
      [{ BLOB_STORE: 's3' }, 'BLOB_STORE is s3, but no bucket is named; set S3_BUCKET.'],
      [{ S3_PREFIX: 'chat' }, 'S3_PREFIX is set, but no bucket is named; set S3_BUCKET.'],
      [
        { ...bucket, S3_ACCESS_KEY_ID: 'me' },
        'S3_ACCESS_KEY_ID is set without S3_SECRET_ACCESS_KEY; set both, or neither.',
      ],
    ] as const) {
      expect(failureOf(() => load(given))?.message).to.equal(said);
    }
  });

  it('read the replicas of a database, which only one that is named has', () => {
    const DATABASE_URL = 'postgres://u:secret@db/x';
    const replicas = ['postgres://u:a%2Cb@one/x', 'postgresql://u:secret@two:5433/x'];
    const read = load({ DATABASE_URL, DATABASE_REPLICA_URLS: ` ${replicas.join(' , ')},` });
    expect(read.databaseReplicaUrls).to.deep.equal(replicas);
    expect(load({ DATABASE_URL }).databaseReplicaUrls).to.deep.equal([]);
    const messageOf = (value: string, more = {}) =>
      failureOf(() => load({ DATABASE_REPLICA_URLS: value, ...more }))?.message;
    expect(messageOf(replicas.join())).to.equal(
      'DATABASE_REPLICA_URLS is set without their primary; set DATABASE_URL, or neither.',
    );
    // A comma in a password splits it: neither half is shown.
    const said = messageOf('postgres://u:secret@one/x,postgres://u:sec,ret@two/x', { DATABASE_URL });
    expect(said)
      .to.contain('DATABASE_REPLICA_URLS')
      .and.contain('%2C')
      .and.match(/^[^\n]+\.$/);
    expect(said).not.to.match(/sec/);
  });

  const wrong: [name: string, value: string][] = [
    ['BLOB_STORE', 'disk'],
    ['S3_BUCKET', 'https://files.example.com'],
    ['S3_BUCKET', 'a/b'],
    ['S3_ENDPOINT', 'minio:9000'],
    ['S3_ENDPOINT', 'https://minio.example.com/files'],
    ['S3_REGION', 'Europe'],
    ['S3_PREFIX', '/chat'],
    ['S3_PREFIX', '../chat'],
    ['S3_PATH_STYLE', 'yes'],
    ['S3_REDIRECTS', 'yes'],
    ['PORT', 'http'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['PUBLIC_URL', 'parley.example'],
    ['PUBLIC_URL', 'https://example.com/parley'],
    ['PUBLIC_URL', 'https://parley.example/?from=mail'],
    ['PUBLIC_URL', 'https://parley.example/#app'],
    ['PUBLIC_URL', 'https://ann:secret@parley.example'],
    ['PUBLIC_URL', 'ftp://parley.example'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['DATABASE_URL', 'localhost:5432'],
    ['DATABASE_URL', 'postgres://parley:100%sure@localhost/x'],
    ['DATABASE_REPLICA_URLS', ','],
    ['DATABASE_REPLICA_URLS', 'replica:5432'],
    ['DATABASE_REPLICA_URLS', 'postgres://one/x,mysql://two/x'],
    ['DATABASE_REPLICA_URLS', 'postgres://parley:100%sure@one/x'],
    ['REDIS_URL', 'http://localhost'],
    ['REDIS_URL', 'redis://:100%sure@localhost'],
    ['REDIS_URL', 'redis://localhost/chat'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://parley:100%sure@mail.example.com'],
    ['CORS_ORIGINS', 'chat.example.com'],
    ['CORS_ORIGINS', 'https://a.example,https://b.example/app'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', ' , '],
    ['MODEL_PROXY_MODELS', ','],
    ['APP_PROXY_ALLOW', ','],
    ['JWT_SECRET', ','],
    ['APPS_URL', 'ftp://apps.example.com'],
    ['APPS_URL', 'https://apps.example.com/apps'],
    ['APPS_URL', 'http://localhost:3000'],
    ['TRUST_PROXY', '-1'],
    ['TRUST_PROXY', 'yes'],
    ['LOG_LEVEL', 'loud'],
    ['RATE_LIMITS', 'maybe'],
    ['BOOTSTRAP_INVITE_CODE', 'a b'],
    ['BOOTSTRAP_INVITE_CODE', 'abc'],
    ['NEW_ACCOUNT_TIER', 'emperor'],
    ['MAIL_FROM', 'Parley'],
    ['MAIL_FROM', 'Parley <no-reply>'],
    ['APP_PROXY_ALLOW', 'http://10.0.0.7/'],
    ['APP_PROXY_ALLOW', 'localhost:70000'],
    ['MODEL_PROXY_URL', 'https://models.example.com/v1?version=2'],
    ['MODEL_PROXY_URL', 'https://models.example.com/v1#chat'],
    ['MODEL_PROXY_URL', 'https://key@models.example.com/v1'],
    ['MODEL_PROXY_KEY', 'a\tb'],
    ['MODEL_PROXY_KEY', 'schlüssel'],
    ['METRICS_TOKEN', 'a\tb'],
    ['METRICS_TOKEN', ' '],
    ['APP_PROXY_ALLOW', 'localhost,10.0.0.0/8'],
    ['REDIS_CLUSTER', 'on'],
    ['WEB_CONCURRENCY', '0'],
  ];
  for (const [name, value] of wrong) {
    it(`refuse ${name}=${value}, naming it in one sentence`, () => {
      const failure = failureOf(() => load({ [name]: value }));
      expect(failure).to.be.instanceOf(SettingsError);
      expect(failure?.message)
        .to.contain(name)
        .and.match(/^[^\n]+\.$/);
    });
  }

  it('say of a number what it must be', () => {
    for (const value of ['http', '70000', '80.5', '-1']) {
      const said = failureOf(() => load({ PORT: value }))?.message;
      expect(said).to.equal('The environment variable PORT is wrong: must be a whole number from 0 to 65535.');
    }
  });

  it('take an empty variable for one that is not set', () => {
    expect(load({ PORT: '', DATABASE_URL: '', LOG_LEVEL: '' })).to.include({ port: 3000, databaseUrl: null });
  });

  it('take the key of the models without the line break that its file ends with', () => {
    const upstream = load({ MODEL_PROXY_URL: 'https://models.example.com/v1', MODEL_PROXY_KEY: 'the-key\n' });
    expect(upstream.modelUpstream?.key).to.equal('the-key');
  });

  it('refuse what several processes behind one port cannot do with', () => {
    const shared = { WEB_CONCURRENCY: '2', REDIS_URL: 'redis://localhost' };
    expect(failureOf(() => load({ WEB_CONCURRENCY: '2' }))?.message).to.contain('REDIS_URL');
    expect(failureOf(() => load({ ...shared, PORT: '0' }))?.message).to.contain('share one PORT');
    expect(load(shared).workers).to.equal(2);
  });

  it('keep apps off the host that people use', () => {
    const apart = (PUBLIC_URL: string, APPS_URL: string) => load({ PUBLIC_URL, APPS_URL }).appsUrl;
    expect(apart('https://chat.example.com', 'https://apps.example.com/')).to.equal('https://apps.example.com/');
    expect(apart('http://localhost:3000', 'http://localhost:3001')).to.equal('http://localhost:3001');
    for (const same of ['https://chat.example.com', 'https://CHAT.example.com:443/', 'http://chat.example.com'])
      expect(() => apart('https://chat.example.com/', same), same).to.throw(SettingsError, 'chat.example.com');
  });

  it('say where people find the site, by where it listens if they are not told', () => {
    const sites = ['0.0.0.0', '::', '127.0.0.1', '192.168.1.5', '::1', 'chat.lan'].map((HOST) =>
      siteOf(load({ HOST }), 3000),
    );
    const everywhere = Array(3).fill('http://localhost:3000');
    const given = ['http://192.168.1.5:3000', 'http://[::1]:3000', 'http://chat.lan:3000'];
    expect(sites).to.deep.equal([...everywhere, ...given]);
    const told = load({ HOST: '::1', PUBLIC_URL: 'https://chat.example.com/' });
    expect(siteOf(told, 3000)).to.equal('https://chat.example.com');
    const apps = { HOST: '::1', PORT: '3001', APPS_URL: 'http://[::1]:3001' };
    expect(() => load(apps)).to.throw(SettingsError, '[::1]:3001');
    expect(load({ ...apps, HOST: 'no host' }).appsUrl).to.equal('http://[::1]:3001');
  });

  it('do not mind variables of other programs', () => {
    expect(() => load({ PATH: '/bin', HOME: '/root', PORTX: 'x' })).not.to.throw();
  });

  it('refuse an override that would make no sense', () => {
    const accounts = { inviteTier: 'emperor' };
    const failure = failureOf(() => loadSettings({ DATA_DIR: dataDir }, { accounts }));
    expect(failure?.message).to.contain('accounts.inviteTier');
  });

  it('lay overrides over single values of a group', () => {
    const settings = loadSettings({ DATA_DIR: dataDir }, { delivery: { sweepMs: 7 } });
    expect(settings.delivery.sweepMs).to.equal(7);
    expect(settings.delivery.batchSize).to.equal(load().delivery.batchSize);
  });

  describe('the secret', () => {
    it('is made once, kept to its owner, and the same at the next start', () => {
      const [first] = load().jwtSecrets;
      const file = path.join(dataDir, 'jwt-secret');
      expect(readFileSync(file, 'utf8')).to.equal(first?.secret);
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      expect(load().jwtSecrets).to.deep.equal([first]);
    });

    it('is refused where the file is empty, or the folder none', () => {
      const file = path.join(dataDir, 'jwt-secret');
      writeFileSync(file, '');
      expect(failureOf(() => load())?.message).to.contain('jwt-secret');
      expect(failureOf(() => load({ DATA_DIR: path.join(file, 'x') }))?.message).to.contain('DATA_DIR');
    });

    it('is one for all that start together', async () => {
      const script = `const { keptSecret } = await import(process.argv[1]); process.stdout.write(keptSecret(process.argv[2], 'jwt-secret'));`;
      const module = import.meta.resolve('../src/settings/kept-secret.ts');
      const start = () => {
        const args = ['--input-type=module', '-e', script, module, dataDir];
        return promisify(execFile)(process.execPath, args).then(({ stdout }) => stdout);
      };
      const secrets = await Promise.all([start(), start(), start(), start()]);
      expect(new Set(secrets).size).to.equal(1);
      expect(secrets[0]).to.have.lengthOf(43);
      expect(readdirSync(dataDir)).to.deep.equal(['jwt-secret']);
    });

    it('is taken from JWT_SECRET, several at once for a rotation, each with a name of its own', () => {
      const secrets = load({ JWT_SECRET: 'new-secret-of-good-length,old-secret-of-good-length' }).jwtSecrets;
      expect(secrets.map(({ secret }) => secret)).to.deep.equal([
        'new-secret-of-good-length',
        'old-secret-of-good-length',
      ]);
      expect(new Set(secrets.map(({ kid }) => kid)).size).to.equal(2);
      const hashed = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);
      for (const { kid, formerKid, secret } of secrets) {
        expect(kid).not.to.contain(hashed(secret));
        expect(formerKid).to.equal(hashed(secret));
      }
    });

    it('must be given in production with a database that other nodes may share', () => {
      const environment = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/x' };
      expect(failureOf(() => load(environment))?.message).to.contain('JWT_SECRET');
      const long = 'a-secret-of-32-bytes-at-the-least';
      expect(load({ ...environment, JWT_SECRET: long }).environment).to.equal('production');
      for (const JWT_SECRET of ['a-secret-of-31-bytes-is-too-few', `${long},short`]) {
        for (const production of [environment, { NODE_ENV: 'production' }])
          expect(failureOf(() => load({ ...production, JWT_SECRET }))?.message).to.match(
            /^JWT_SECRET [^\n]+ 32 bytes[^\n]+\.$/,
          );
      }
      expect(load({ NODE_ENV: 'production' }).jwtSecrets).to.have.lengthOf(1);
    });
  });

  describe('the key that signs pushes', () => {
    const given = Buffer.alloc(32, 7).toString('base64');
    const production = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/parley', JWT_SECRET: 'x'.repeat(32) };

    it('is made once, and kept', () => {
      const { pushKeys } = load();
      expect(Buffer.from(pushKeys?.publicKey ?? '', 'base64url')).to.have.lengthOf(65);
      expect(load().pushKeys).to.deep.equal(pushKeys);
      expect(statSync(path.join(dataDir, 'vapid-key')).mode & 0o777).to.equal(0o600);
    });

    it('is taken from VAPID_PRIVATE_KEY, in either alphabet, and must be one', () => {
      const { pushKeys } = load({ ...production, VAPID_PRIVATE_KEY: given });
      expect(pushKeys?.privateKey).to.equal(Buffer.alloc(32, 7).toString('base64url'));
      expect(load({ VAPID_PRIVATE_KEY: pushKeys?.privateKey }).pushKeys).to.deep.equal(pushKeys);
      for (const bad of ['short', Buffer.alloc(32, 255).toString('base64'), Buffer.alloc(32).toString('base64')]) {
        expect(failureOf(() => load({ VAPID_PRIVATE_KEY: bad }))?.message, bad).to.contain('VAPID_PRIVATE_KEY');
      }
    });

    it('is none where nodes would not agree on one, and where pushes are off', () => {
      expect(load(production).pushKeys).to.equal(null);
      expect(load({ PUSH: 'off', VAPID_PRIVATE_KEY: given }).pushKeys).to.equal(null);
      expect(readdirSync(dataDir)).to.not.include('vapid-key');
    });

    it('comes with someone to ask', () => {
      expect(load({ MAIL_FROM: 'Chat <chat@example.com>' }).pushContact).to.equal('mailto:chat@example.com');
      expect(load({ PUSH_CONTACT: 'https://example.com/us' }).pushContact).to.equal('https://example.com/us');
      expect(failureOf(() => load({ PUSH_CONTACT: 'me' }))?.message).to.contain('PUSH_CONTACT');
    });
  });
});

function failureOf(work: () => unknown): Error | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return undefined;
}

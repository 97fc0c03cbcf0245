// nodes: own

import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Database } from '../../src/database/database.ts';
import { BlobCollector } from '../../src/features/blobs/blob.collector.ts';
import { ObjectStore } from '../../src/features/blobs/object.store.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { StoreMeter } from '../../src/infrastructure/s3/meter.ts';
import { S3Client } from '../../src/infrastructure/s3/s3-client.ts';
import { type Bucket, startBucket } from '../rig/bucket.ts';
import { until } from '../rig/until.ts';
import { type Cluster, type SettingsChange, startCluster, testSettings } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const mebibyte = 1024 * 1024;
const partBytes = 5 * mebibyte;
const limits = {
  ...{ minBytes: 1000, partBytes, uploadsAtOnce: 2, timeoutMs: 5000, attempts: 3, linkSeconds: 60 },
};
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function send(who: Person, bytes: Buffer, name = 'film.bin') {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  const headers = { authorization: `Bearer ${who.token}` };
  const response = await fetch(`${who.node.url}/api/media/upload`, { method: 'POST', body: form, headers });
  const record: Loose = await response.json();
  return { status: response.status, again: response.headers.get('retry-after'), body: record };
}

const open = (who: Person, path: string, more: { method?: string; headers?: Record<string, string> } = {}) => {
  const { method = 'GET', headers = {} } = more;
  const authorization = `Bearer ${who.token}`;
  return fetch(`${who.node.url}${path}`, { redirect: 'manual', method, headers: { authorization, ...headers } });
};

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

describe('files in S3', () => {
  let bucket: Bucket;
  let cluster: Cluster;
  let here: World;

  before(async () => {
    bucket = await startBucket();
    const settings: SettingsChange = { blobStore: 's3', s3: bucket.settings, blobs: { s3: limits } };
    cluster = await startCluster({ nodes: 1, redisUrl: null, settings });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    await bucket.stop();
  });
  afterEach(() => bucket.heal());

  const objectIds = () =>
    query<{ id: string }>(cluster.databaseUrl, 'SELECT object_id AS id FROM blobs WHERE object_id IS NOT NULL');
  const looseOnes = () => query<{ id: string }>(cluster.databaseUrl, 'SELECT id FROM loose_objects');

  it('come back as they were, whole and in ranges, however many parts they have', async () => {
    for (const size of [1001, partBytes, partBytes + 1, 2 * partBytes + 70_000]) {
      const bytes = randomBytes(size);
      const { status, body } = await send(here.alice, bytes);
      expect(status, `${size} bytes`).to.equal(201);
      const whole = await bytesOf(await open(here.alice, body.url));
      expect(whole.equals(bytes), `${size} bytes`).to.equal(true);
      for (const [start, end] of [
        [0, 0],
        [1, 999],
        [size - 500, size - 1],
      ]) {
        const part = await open(here.alice, body.url, { headers: { range: `bytes=${start}-${end}` } });
        expect(part.status).to.equal(206);
        expect((await bytesOf(part)).equals(bytes.subarray(start, (end ?? 0) + 1)), `${start}-${end}`).to.equal(true);
      }
    }
    const parts = bucket.requests.filter((request) => /^PUT .*partNumber=/.test(request));
    expect(parts).to.have.lengthOf(2 + 3);
    expect(await objectIds()).to.have.lengthOf(4);
  });

  it('are stored once, and small ones in the database', async () => {
    const before = (await objectIds()).length;
    const bytes = randomBytes(3000);
    for (const who of [here.alice, here.bob]) expect((await send(who, bytes)).status).to.equal(201);
    expect((await objectIds()).length).to.equal(before + 1);
    const small = await send(here.alice, randomBytes(1000));
    expect(small.status).to.equal(201);
    expect((await objectIds()).length).to.equal(before + 1);
    expect((await bytesOf(await open(here.alice, small.body.url))).length).to.equal(1000);
  });

  it('are read by a node that stores new ones in the database, and the other way round', async () => {
    const s3 = bucket.settings;
    const settings: SettingsChange = { blobStore: 'database', s3, blobs: { s3: limits } };
    const { databaseUrl } = cluster;
    const other = await startCluster({ nodes: 1, redisUrl: null, databaseUrl, settings });
    const there = await world(other);
    try {
      const before = (await objectIds()).length;
      const [bytes, more] = [randomBytes(50_000), randomBytes(50_000)];
      const mine = await send(here.alice, bytes);
      const theirs = await send(there.alice, more);
      expect((await objectIds()).length).to.equal(before + 1);
      const read = async (node: Person['node'], who: Person, url: string) =>
        bytesOf(await fetch(`${node.url}${url}`, { headers: { authorization: `Bearer ${who.token}` } }));
      expect((await read(there.alice.node, here.alice, mine.body.url)).equals(bytes)).to.equal(true);
      expect((await read(here.alice.node, there.alice, theirs.body.url)).equals(more)).to.equal(true);
    } finally {
      there.close();
      await other.stop().catch(() => {});
    }
  });

  it('go into the database while as many uploads are under way as there is memory for', async () => {
    const before = (await objectIds()).length;
    bucket.spoil(/^PUT /, 'silence');
    bucket.requests.length = 0;
    const waiting = Array.from({ length: limits.uploadsAtOnce }, () => send(here.alice, randomBytes(5000)));
    await until(() => bucket.requests.length === limits.uploadsAtOnce);
    const one = await send(here.bob, randomBytes(5000));
    expect(one.status).to.equal(201);
    expect((await bytesOf(await open(here.bob, one.body.url))).length).to.equal(5000);
    expect((await objectIds()).length).to.equal(before);
    bucket.heal();
    // The requests that were never answered are made again once their time is over.
    const outcomes = await Promise.all(waiting);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(outcomes.map(() => 201));
  });

  it('do not notice that a request fails once', async () => {
    const bytes = randomBytes(partBytes + 10_000);
    for (const [which, fault] of [
      [/^POST .*uploads/, 'error'],
      [/^PUT .*partNumber=1/, { cutUpload: 100_000 }],
      [/^PUT .*partNumber=2/, 'error'],
      [/^POST .*uploadId/, 'error'],
      [/^GET .*blobs/, { cutDownload: 2_000_000 }],
      [/^GET .*blobs/, { cutDownload: 10 }],
    ] as const) {
      bucket.spoil(which, fault, 1);
    }
    const { status, body } = await send(here.alice, bytes);
    expect(status).to.equal(201);
    expect(sha256(await bytesOf(await open(here.alice, body.url)))).to.equal(sha256(bytes));
  });

  it('are complete though the answer that says so was lost', async () => {
    bucket.spoil(/^POST .*uploadId/, 'lost answer', 1);
    const bytes = randomBytes(partBytes + 1);
    const { status, body } = await send(here.alice, bytes);
    expect(status).to.equal(201);
    expect((await bytesOf(await open(here.alice, body.url))).equals(bytes)).to.equal(true);
  });

  for (const [what, which, fault] of [
    ['S3 answers 500', /^PUT /, 'error'],
    ['the connection is cut within an upload', /^PUT /, { cutUpload: 1000 }],
    ['a part cannot be uploaded', /partNumber=2/, 'error'],
    ['the parts cannot be put together', /^POST .*uploadId/, 'error'],
  ] as const) {
    it(`are refused with 503 and leave nothing when ${what}`, async () => {
      const [before, loose] = [await objectIds(), await looseOnes()];
      bucket.spoil(which, fault);
      bucket.requests.length = 0;
      const bytes = randomBytes(partBytes + 20_000);
      const refused = await send(here.alice, bytes);
      expect([refused.status, refused.body.code, refused.again]).to.deep.equal([503, 'FILES_UNAVAILABLE', '1']);
      if (bucket.requests.some((request) => /^POST .*uploads/.test(request))) {
        await until(() => bucket.requests.some((request) => /^DELETE .*uploadId=/.test(request)));
      }
      expect(await objectIds()).to.deep.equal(before);
      // The collector knows what may have been left in the bucket.
      expect((await looseOnes()).length).to.equal(loose.length + 1);
      bucket.heal();
      const stored = await send(here.alice, bytes);
      expect(stored.status).to.equal(201);
      expect((await bytesOf(await open(here.alice, stored.body.url))).equals(bytes)).to.equal(true);
    });
  }

  it('are answered with 503 while they cannot be read, and are there again afterwards', async () => {
    const bytes = randomBytes(100_000);
    const { body } = await send(here.alice, bytes);
    bucket.spoil(/^GET /, 'error');
    const refused = await open(here.alice, body.url);
    expect(refused.status).to.equal(503);
    expect(await refused.json()).to.include({ code: 'FILES_UNAVAILABLE' });
    const ready = await (await fetch(`${here.alice.node.url}/readyz`)).json();
    expect(ready).to.deep.equal({ ok: true, degraded: ['S3 fails: its files can be neither stored nor read.'] });
    bucket.heal();
    expect((await bytesOf(await open(here.alice, body.url))).equals(bytes)).to.equal(true);
    expect(await (await fetch(`${here.alice.node.url}/readyz`)).json()).to.deep.equal({ ok: true });
    const metrics = await (await fetch(`${here.alice.node.url}/metrics`)).text();
    expect(metrics).to.match(/parley_blob_store_seconds_count\{store="s3",operation="get",outcome="failed"\} [1-9]/);
    expect(metrics).to.match(/parley_blob_bytes_written_total\{store="s3"\} [1-9]\d{6}/);
  });

  it('never end well with other bytes than were stored', async () => {
    const { body } = await send(here.alice, randomBytes(400_000));
    bucket.spoil(/^GET /, 'wrong byte', 1);
    const outcome = await open(here.alice, body.url)
      .then(
        async (response) => (response.ok ? bytesOf(response) : response.status),
        (error: Error) => error,
      )
      .catch((error: Error) => error);
    expect(outcome).to.satisfy((it: unknown) => it instanceof Error || it === 500);
  });

  it('are downloaded from the bucket by a short-lived link, where that is asked for and one may', async () => {
    const settings: SettingsChange = {
      ...{ blobStore: 's3', blobs: { s3: limits } },
      s3: { ...bucket.settings, redirects: true },
    };
    const other = await startCluster({ nodes: 1, redisUrl: null, settings });
    const { alice, bob } = await world(other);
    try {
      const text = Buffer.from('Straße\n'.repeat(1000));
      const { body } = await send(alice, text, 'Straße "1".txt');
      expect((await open(bob, body.url)).status).to.equal(404);
      const sent = await open(alice, `${body.url}?disposition=inline`);
      expect([sent.status, sent.headers.get('cache-control')]).to.deep.equal([302, 'private, no-store']);
      const location = new URL(sent.headers.get('location') ?? '');
      expect(location.origin).to.equal(bucket.settings.endpoint);
      expect(location.searchParams.get('X-Amz-Expires')).to.equal('60');
      const response = await fetch(location, { headers: { range: 'bytes=0-7' } });
      expect(response.status).to.equal(206);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(response.headers.get('content-disposition')).to.match(/^inline; .*UTF-8''Stra%C3%9Fe/);
      expect((await bytesOf(response)).equals(text.subarray(0, 8))).to.equal(true);
      for (const [name, value, status] of [
        ['X-Amz-Expires', '60', 200],
        ['X-Amz-Expires', '3600', 403],
        ['response-content-type', 'text/html', 403],
      ] as const) {
        const altered = new URL(location);
        altered.searchParams.set(name, value);
        altered.search = altered.search.replaceAll('+', '%20');
        expect((await fetch(altered)).status, `${name}=${value}`).to.equal(status);
      }
      expect((await fetch(location, { method: 'DELETE' })).status).to.equal(403);
      const head = await open(alice, body.url, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(text.length)]);
      const small = await send(alice, randomBytes(500));
      expect((await open(alice, small.body.url)).status).to.equal(200);
    } finally {
      await other.stop();
    }
  });

  describe('once nothing refers to them', () => {
    let database: Database;
    let objects: ObjectStore;
    const log = createLog('silent');

    before(async () => {
      const settings = testSettings(cluster.databaseUrl, null);
      database = await Database.connect(cluster.databaseUrl, settings, log);
      const client = new S3Client(bucket.settings, limits, new StoreMeter());
      objects = new ObjectStore(client, limits, database.committedRows, log);
    });
    after(async () => {
      await objects.client.close();
      await database.close();
    });

    it('are deleted from the bucket, and so is what broken uploads have left', async () => {
      const { body } = await send(here.alice, randomBytes(20_000));
      const [stored] = await query<{ id: string }>(
        cluster.databaseUrl,
        'SELECT b.object_id AS id FROM attachments a JOIN blobs b ON b.id = a.blob_id WHERE a.id = $1',
        [body.id],
      );
      const id = stored?.id ?? '';
      expect(await objects.sizeOf(id)).to.equal(20_000);
      await query(cluster.databaseUrl, 'DELETE FROM attachments WHERE id = $1', [body.id]);
      const collector = new BlobCollector(database, { graceSeconds: 0 }, log, objects);
      await until(async () => {
        await collector.run();
        return (await looseOnes()).length === 0 && (await objects.sizeOf(id)) === null;
      });
      await collector.close();
      const listed: string[] = [];
      for await (const page of objects.listed()) listed.push(...page.map((object) => object.id));
      const known = (await query<{ id: string }>(cluster.databaseUrl, 'SELECT object_id AS id FROM blobs')).map(
        ({ id }) => id,
      );
      const foreign = listed.filter((one) => !known.includes(one));
      // Those of the other installation that shares the bucket in the test before.
      expect(foreign.length).to.be.at.most(1);
    });

    it('wait for a bucket that is away', async () => {
      const { objectId } = await objects.upload(once(randomBytes(5000)));
      bucket.spoil(/^DELETE /, 'error');
      const collector = new BlobCollector(database, { graceSeconds: 0 }, log, objects);
      await collector.run();
      expect((await looseOnes()).map(({ id }) => id)).to.include(objectId);
      bucket.heal();
      await collector.run();
      expect((await looseOnes()).map(({ id }) => id)).not.to.include(objectId);
      expect(await objects.sizeOf(objectId)).to.equal(null);
      await collector.close();
    });

    it('are not what an upload takes longer for than they may be loose', async () => {
      const collector = new BlobCollector(database, { graceSeconds: 0 }, log, objects);
      const slow = async function* () {
        yield randomBytes(partBytes + 1);
        await collector.run();
        yield randomBytes(partBytes);
      };
      const error: unknown = await objects.upload(slow()).catch((reason) => reason);
      expect(String(error)).to.match(/was deleted while it was uploaded/);
      await collector.close();
    });
  });
});

async function* once(bytes: Buffer) {
  yield bytes;
}

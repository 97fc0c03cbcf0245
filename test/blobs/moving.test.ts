// nodes: own

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { advisoryLocks, tryLock } from '../../src/database/advisory-locks.ts';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { BlobMover, type BlobPlace } from '../../src/features/blobs/blob.mover.ts';
import { MixedBlobStore } from '../../src/features/blobs/mixed-blob.store.ts';
import { ObjectStore } from '../../src/features/blobs/object.store.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { StoreMeter } from '../../src/infrastructure/s3/meter.ts';
import { S3Client } from '../../src/infrastructure/s3/s3-client.ts';
import { type Bucket, startBucket } from '../rig/bucket.ts';
import { atEnd } from '../rig/ending.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import { parley } from '../world/operator.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const limits = {
  ...{ minBytes: 1000, partBytes: 5 * 1024 * 1024, uploadsAtOnce: 4, timeoutMs: 10_000, attempts: 2, linkSeconds: 60 },
};
const log = createLog('silent');

async function* once(bytes: Buffer) {
  yield bytes;
}

describe('moving files between the database and S3', () => {
  let bucket: Bucket;
  let place: TestDatabase;
  let database: Database;
  let store: MixedBlobStore;
  let objects: ObjectStore;
  let mover: BlobMover;

  before(async () => {
    bucket = await startBucket();
    place = await createDatabase();
    await migrate(place.url, log);
    const settings = testSettings(place.url, null, { s3: bucket.settings, blobs: { s3: limits } });
    database = await Database.connect(place.url, settings, log);
    const meter = new StoreMeter();
    objects = new ObjectStore(new S3Client(bucket.settings, limits, meter), limits, database.committedRows, log);
    store = new MixedBlobStore(database, objects, settings, meter);
    mover = new BlobMover(database, objects, limits, meter);
  });
  after(async () => {
    await objects.client.close();
    await database.close();
    await place.drop();
    await bucket.stop();
  });
  afterEach(async () => {
    bucket.heal();
    await database.rows('DELETE FROM blobs');
  });

  const fill = async (...sizes: number[]) => {
    const files = sizes.map((size) => randomBytes(size));
    const ids: string[] = [];
    for (const bytes of files) ids.push((await store.write(once(bytes), bytes.length)).id);
    return { files, ids };
  };
  const places = async () =>
    database.rows<{ objects: number; chunked: number }>(
      `SELECT (SELECT count(*)::int FROM blobs WHERE object_id IS NOT NULL) AS objects,
         (SELECT count(DISTINCT blob_id)::int FROM blob_chunks) AS chunked`,
    );
  const move = (to: BlobPlace) => mover.move(to, () => {});

  async function expectAll({ files, ids }: { files: Buffer[]; ids: string[] }) {
    for (const [index, id] of ids.entries()) {
      expect((await buffer(store.read(id))).equals(files[index] ?? Buffer.alloc(0)), `file ${index}`).to.equal(true);
    }
    const small = await store.readSmall(ids);
    expect(ids.every((id, index) => small.get(id)?.equals(files[index] ?? Buffer.alloc(0)))).to.equal(true);
  }

  it('takes all of them there and back, but small ones, which stay', async () => {
    const all = await fill(0, 1000, 1001, 40_000, 6_000_000);
    const there = await move('s3');
    expect(there).to.deep.equal({ moved: 3, bytes: 6_041_001, stayed: 2, failed: [] });
    expect(await places()).to.deep.equal([{ objects: 3, chunked: 1 }]);
    await expectAll(all);
    expect(await move('s3')).to.include({ moved: 0, stayed: 5 });
    expect(await move('database')).to.include({ moved: 3, bytes: 6_041_001 });
    expect(await places()).to.deep.equal([{ objects: 0, chunked: 4 }]);
    await expectAll(all);
  });

  it('leaves each in one place when S3 fails in between, and goes on in the next run', async () => {
    const all = await fill(...Array.from({ length: 9 }, (_, index) => 2000 + index));
    bucket.spoil(/^PUT /, 'error');
    expect(await move('s3').catch((error) => error)).to.include({ code: 'FILES_UNAVAILABLE' });
    await expectAll(all);
    bucket.heal();
    // Some are uploaded and cannot be read back.
    bucket.spoil(/^GET /, 'error');
    expect(await move('s3').catch((error) => error)).to.include({ code: 'FILES_UNAVAILABLE' });
    bucket.heal();
    expect(await places()).to.deep.equal([{ objects: 0, chunked: 9 }]);
    expect(await move('s3')).to.include({ moved: 9 });
    expect(await places()).to.deep.equal([{ objects: 9, chunked: 0 }]);
    await expectAll(all);
    bucket.spoil(/^GET /, 'error');
    expect(await move('database').catch((error) => error)).to.include({ code: 'FILES_UNAVAILABLE' });
    bucket.heal();
    expect(await move('database')).to.include({ moved: 9 });
    await expectAll(all);
  });

  it('does not take wrong bytes along, nor give the right ones up', async () => {
    const all = await fill(50_000, 60_000);
    bucket.spoil(/^GET /, 'wrong byte', 1);
    const report = await move('s3');
    expect([report?.moved, report?.failed.length]).to.deep.equal([1, 1]);
    expect(await places()).to.deep.equal([{ objects: 1, chunked: 1 }]);
    await expectAll(all);
    expect(await move('s3')).to.include({ moved: 1 });
    bucket.spoil(/^GET /, 'wrong byte', 1);
    expect((await move('database'))?.failed).to.have.lengthOf(1);
    await expectAll(all);
  });

  it('is not noticed by who is just reading', async () => {
    const bytes = randomBytes(3_000_000);
    const { id } = await store.write(once(bytes), bytes.length);
    for (const to of ['s3', 'database', 's3'] as const) {
      const pieces: Buffer[] = [];
      let moved = false;
      for await (const piece of store.read(id)) {
        pieces.push(piece);
        if (moved) continue;
        moved = true;
        expect(await move(to)).to.include({ moved: 1 });
        // Not even if its object is gone already.
        await objects.collect(0);
      }
      expect(Buffer.concat(pieces).equals(bytes), to).to.equal(true);
    }
  });

  it('is done by one run at a time', async () => {
    await fill(5000);
    await database.longTransaction(
      async (rows) => {
        expect(await tryLock(rows, advisoryLocks.movingBlobs)).to.equal(true);
        expect(await move('s3')).to.equal(undefined);
      },
      { snapshot: false },
    );
    expect(await move('s3')).to.include({ moved: 1 });
  });

  it('forgets what was deleted meanwhile', async () => {
    const { ids } = await fill(5000, 6000);
    bucket.spoil(/^GET /, 'silence', 1);
    const moving = move('s3');
    await database.rows('DELETE FROM blobs WHERE id = ANY($1::uuid[])', [ids]);
    await moving;
    expect(await places()).to.deep.equal([{ objects: 0, chunked: 0 }]);
    await objects.collect(0);
    expect(await database.rows('SELECT FROM loose_objects')).to.deep.equal([]);
    for await (const page of objects.listed()) expect(page).to.deep.equal([]);
  });
});

describe('the operator’s command for files, and exports', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-moving-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  let bucket: Bucket;
  let cluster: Cluster;
  let here: World;

  before(async () => {
    bucket = await startBucket();
    const settings = { s3: bucket.settings, blobs: { s3: limits } };
    cluster = await startCluster({ nodes: 1, redisUrl: null, settings });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    await bucket.stop();
  });

  const run = (args: string[], databaseUrl = cluster.databaseUrl, more: Record<string, string> = {}) =>
    parley(
      {
        DATABASE_URL: databaseUrl,
        DATA_DIR: folder,
        JWT_SECRET: 'a secret for tests only',
        S3_BUCKET: bucket.settings.bucket,
        S3_ENDPOINT: bucket.settings.endpoint,
        S3_PREFIX: 'chat',
        S3_ACCESS_KEY_ID: 'S3RVER',
        S3_SECRET_ACCESS_KEY: 'S3RVER',
        ...more,
      },
      args,
    );

  it('moves and checks them beside the running server, and moves a server with files in S3', async () => {
    const { alice, server, channel } = here;
    const bytes = new Uint8Array(randomBytes(200_000));
    const upload = await alice.upload('film.bin', bytes);
    await alice.say(channel.id, 'look', { attachments: [{ id: upload.id }] });
    const get = async (url: string, token: string) => {
      const response = await fetch(`${url}${upload.url}`, { headers: { authorization: `Bearer ${token}` } });
      return Buffer.from(await response.arrayBuffer());
    };
    const moved = await run(['blobs', 'move', '--to', 's3']);
    expect([moved.code, moved.complaint]).to.deep.equal([0, '']);
    expect(moved.out).to.match(/^1 files moved, 0\.2 MiB; \d+ were in place already, or are small\.\n$/);
    expect((await get(alice.node.url, alice.token)).equals(bytes)).to.equal(true);
    const checked = await run(['blobs', 'check', '--remove-orphans']);
    expect(checked.out).to.contain('1 files are in S3 as they should be, 0 are not.');

    const file = path.join(folder, 'server.zip');
    expect((await run(['export', server.id, '--out', file])).complaint).to.equal('');
    const other = await startCluster({ nodes: 1, redisUrl: null, settings: { s3: bucket.settings } });
    try {
      const imported = await run(['import', file], other.databaseUrl, { BLOB_STORE: 's3' });
      expect([imported.code, imported.complaint]).to.deep.equal([0, '']);
      const found = await query<{ id: string }>(
        other.databaseUrl,
        'SELECT b.id FROM attachments a JOIN blobs b ON b.id = a.blob_id WHERE a.id = $1 AND b.object_id IS NOT NULL',
        [upload.id],
      );
      expect(found).to.have.lengthOf(1);
    } finally {
      await other.stop();
    }
  });
});

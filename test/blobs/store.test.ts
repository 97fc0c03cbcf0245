// nodes: own

import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { BlobCollector } from '../../src/features/blobs/blob.collector.ts';
import { DatabaseBlobStore } from '../../src/features/blobs/blob.store.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { testSettings } from '../world/nodes.ts';

const log = createLog('silent');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the blob store', () => {
  let place: TestDatabase;
  let database: Database;
  let store: DatabaseBlobStore;

  before(async () => {
    place = await createDatabase();
    await migrate(place.url, log);
    database = await Database.connect(place.url, testSettings(place.url, null), log);
    store = new DatabaseBlobStore(database);
    // What uses a blob is whatever has a foreign key to it.
    await database.rows('CREATE TABLE uses (blob uuid REFERENCES blobs (id))');
  });
  after(async () => {
    await database.close();
    await place.drop();
  });

  const chunks = async () =>
    (await database.rows<{ count: number }>('SELECT count(*) FROM blob_chunks'))[0]?.count ?? -1;

  it('gives back what was written, whole and in ranges', async () => {
    const bytes = randomBytes(1_000_003);
    const blob = await store.write(inPieces(bytes, 70_001), 2_000_000);
    expect(blob).to.include({ hash: sha256(bytes), size: bytes.length });
    expect((await buffer(store.read(blob.id))).equals(bytes)).to.equal(true);
    for (const [start, end] of [
      [0, 0],
      [262_143, 262_144],
      [5, 1_000_002],
      [786_432, 2_000_000],
      [1_000_002, 1_000_002],
    ] as const) {
      const part = await buffer(store.read(blob.id, { start, end }));
      expect(part.equals(bytes.subarray(start, end + 1)), `${start}-${end}`).to.equal(true);
    }
  });

  it('keeps the same content once, however it comes and also at the same time', async () => {
    const bytes = randomBytes(1000);
    const before = await chunks();
    const blobs = await Promise.all([
      store.put(bytes),
      store.write(inPieces(bytes, 10), 1000),
      store.write(inPieces(bytes, 300), 1000),
      store.put(bytes),
      store.write(inPieces(bytes, 1000), 1000),
    ]);
    expect(new Set(blobs.map((blob) => blob.id)).size).to.equal(1);
    expect(await chunks()).to.equal(before + 1);
    const large = randomBytes(700_000);
    const held = await store.put(large);
    expect((await buffer(store.read(held.id))).equals(large)).to.equal(true);
    expect((await store.write(inPieces(large, 60_000), 1_000_000)).id).to.equal(held.id);
    const empty = await Promise.all([store.put(Buffer.alloc(0)), store.write(inPieces(Buffer.alloc(0), 1), 10)]);
    expect(empty[0].id).to.equal(empty[1].id);
    expect((await buffer(store.read(empty[0].id))).length).to.equal(0);
  });

  it('leaves nothing of what is too large or breaks off', async () => {
    const before = await chunks();
    const large = await store.write(inPieces(randomBytes(600_000), 50_000), 599_999).catch((error) => error);
    expect(large).to.include({ code: 'BODY_TOO_LARGE' });
    const broken = async function* () {
      yield randomBytes(600_000);
      throw new Error('the line is cut');
    };
    expect(await store.write(broken(), 1_000_000).catch((error) => error.message)).to.equal('the line is cut');
    expect(await chunks()).to.equal(before);
  });

  it('collects what nothing refers to, after its grace, and never what is in use', async () => {
    const collector = new BlobCollector(database, { graceSeconds: 60 }, log);
    const [used, unused, late] = [
      await store.put(randomBytes(10)),
      await store.put(randomBytes(10)),
      await store.put(randomBytes(10)),
    ];
    await database.rows('INSERT INTO blobs (id, chunk_size, unused_since) VALUES (gen_random_uuid(), 1, now())');
    await database.rows('INSERT INTO uses VALUES ($1)', [used.id]);
    expect(await collector.run()).to.equal(0);
    await database.rows("UPDATE blobs SET unused_since = now() - interval '61 seconds' WHERE unused_since IS NOT NULL");
    // Wanted again in the last moment: its time starts anew.
    const [row] = await database.rows<{ content: Buffer }>(
      'SELECT data AS content FROM blob_chunks WHERE blob_id = $1',
      [late.id],
    );
    expect((await store.put(row?.content ?? Buffer.alloc(0))).id).to.equal(late.id);
    expect(await collector.run()).to.be.at.least(2);
    const left = (await database.rows<{ id: string }>('SELECT id FROM blobs')).map((blob) => blob.id);
    expect(left).to.have.members([used.id, late.id]).and.not.include(unused.id);
    await collector.close();
  });
});

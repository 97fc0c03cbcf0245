import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Database } from '../../database/database.ts';
import type { BlobStore } from '../../features/blobs/blob.store.ts';
import { MixedBlobStore } from '../../features/blobs/mixed-blob.store.ts';
import { ObjectStore } from '../../features/blobs/object.store.ts';
import { createLog } from '../../infrastructure/log.ts';
import { StoreMeter } from '../../infrastructure/s3/meter.ts';
import { S3Client } from '../../infrastructure/s3/s3-client.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Check, ok, problem, reasonOf } from './check.ts';

const leastBytes = 100_000;
/** Whoever looks waits, and wants to know what fails at once, not what helps against it. */
const patience = { attempts: 1, mostMs: 8000 };

/** What makes the store take back what was written to it. */
class TakenBack extends Error {}

/**
 * Whether the stores of files take some bytes, and give them back; they are taken back at once. A bucket is looked at also
 * where new files go into the database: files are read from it, and moved to it.
 */
export async function blobChecks(databaseUrl: string, settings: Settings): Promise<Check[]> {
  const log = createLog('silent');
  const database = await Database.connect(databaseUrl, settings, log);
  const meter = new StoreMeter(log);
  const { timeoutMs, ...limits } = settings.blobs.s3;
  const s3 = { ...limits, attempts: patience.attempts, timeoutMs: Math.min(timeoutMs, patience.mostMs) };
  const client = settings.s3 && new S3Client(settings.s3, s3, meter);
  try {
    const objects = client && new ObjectStore(client, s3, database.committedRows, log);
    const storeFor = (blobStore: Settings['blobStore']) =>
      new MixedBlobStore(database, objects, { ...settings, blobStore }, meter);
    // A small file stays in the database whatever the settings say.
    const bytes = Math.max(leastBytes, settings.blobs.s3.minBytes + 1);
    const name = settings.blobStore === 's3' ? 'files' : 'files.s3';
    const checks = [
      ...(settings.blobStore === 'database' ? [storeCheck('files', 'the database', storeFor('database'), bytes)] : []),
      ...(settings.s3 ? [storeCheck(name, `the bucket ${settings.s3.bucket}`, storeFor('s3'), bytes)] : []),
    ];
    return await Promise.all(checks);
  } finally {
    await client?.close();
    meter.close();
    await database.close();
  }
}

async function storeCheck(name: string, place: string, store: BlobStore, bytes: number): Promise<Check> {
  const content = randomBytes(bytes);
  const written = (async function* () {
    yield content;
  })();
  try {
    await store.undoing(async () => {
      const { id, size } = await store.write(written, bytes);
      const read = await buffer(store.read(id, { start: 1, end: size - 1 }));
      if (!read.equals(content.subarray(1))) throw new Error('other bytes came back than were written');
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack))
      return problem(
        name,
        `${place} does not take and return them (${reasonOf(error)})`,
        'See what this message says.',
      );
  }
  return ok(name, `${place} took ${bytes} bytes and gave them back`);
}

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

const bytes = 100_000;

/** What makes the store take back what was written to it. */
class TakenBack extends Error {}

/** Whether the store of files takes some bytes, and gives them back; they are deleted at once. */
export async function blobChecks(databaseUrl: string, settings: Settings): Promise<Check[]> {
  const log = createLog('silent');
  const database = await Database.connect(databaseUrl, settings, log);
  const meter = new StoreMeter(log);
  const client = settings.s3 && new S3Client(settings.s3, settings.blobs.s3, meter);
  try {
    const objects = client && new ObjectStore(client, settings.blobs.s3, database.committedRows, log);
    return [await storeCheck(new MixedBlobStore(database, objects, settings, meter))];
  } finally {
    await client?.close();
    meter.close();
    await database.close();
  }
}

async function storeCheck(store: BlobStore): Promise<Check> {
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
      return problem('files', `they cannot be stored (${reasonOf(error)})`, 'See what this message says.');
  }
  return ok('files', `${bytes} bytes were written, read and deleted`);
}

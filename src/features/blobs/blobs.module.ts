import type { Rows } from '../../database/database.ts';
import { StoreMeter } from '../../infrastructure/s3/meter.ts';
import { S3Client } from '../../infrastructure/s3/s3-client.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import { StorageAllowance } from './allowance.ts';
import { BlobCollector } from './blob.collector.ts';
import { BlobMover } from './blob.mover.ts';
import { type BlobDatabase, inTransaction } from './blob.store.ts';
import { MixedBlobStore } from './mixed-blob.store.ts';
import { ObjectCheck } from './object.check.ts';
import { ObjectStore } from './object.store.ts';
import { hasObjects } from './object.table.ts';
import { storageRoutes } from './storage.routes.ts';
import { StorageService } from './storage.service.ts';
import { countOlder, sumUpChanges } from './usage.table.ts';

export type BlobsServices = ReturnType<typeof blobsModule>['services'];

/** How many changes are summed up in a step. */
const summedAtOnce = 5000;

/** Bytes of files, and how many each may store. */
export function blobsModule(context: Context) {
  const { database, settings, log } = context;
  const blobMeter = new StoreMeter(log);
  const client = settings.s3 && new S3Client(settings.s3, settings.blobs.s3, blobMeter);
  const objects = client && new ObjectStore(client, settings.blobs.s3, database.committedRows, log);
  const collector = new BlobCollector(database, settings.blobs, log, objects);
  const over = (on: BlobDatabase) => new MixedBlobStore(on, objects, settings, blobMeter);
  const allowance = new StorageAllowance(database, settings);
  const storage = new StorageService({ ...context, allowance });
  return {
    services: {
      blobs: over(database),
      /** The same files, with what is known of them read and written in a transaction. */
      blobsOver: (rows: Rows) => over(inTransaction(rows)),
      allowance,
      storage,
      blobMover: new BlobMover(database, objects, settings.blobs.s3, blobMeter),
      objectCheck: new ObjectCheck(database, objects),
      blobMeter,
    },
    routes: storageRoutes(storage),
    chores: [
      { name: 'sum up what is stored', step: (rows) => sumUpChanges(rows, summedAtOnce, settings.blobs.graceSeconds) },
      { name: 'count what was stored before', step: countOlder },
    ],
    start: () => void lookAhead(),
    async close() {
      await collector.close();
      await client?.close();
      blobMeter.close();
    },
  } satisfies Module;

  /** Says at the start what would else be found out by the first who uploads or opens a file. */
  async function lookAhead(): Promise<void> {
    // The meter reports what is wrong with the bucket.
    if (objects && settings.blobStore === 's3') return objects.probe().catch(() => {});
    if (objects) return;
    const isLost = await hasObjects(database.committedRows).catch(() => false);
    if (isLost) log.error('Files are in S3, but S3_BUCKET is not set: they cannot be read here.');
  }
}

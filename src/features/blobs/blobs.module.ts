import type { Context } from '../context.ts';
import { StorageAllowance } from './allowance.ts';
import { BlobCollector } from './blob.collector.ts';
import { DatabaseBlobStore } from './blob.store.ts';

export type BlobsServices = ReturnType<typeof blobsModule>['services'];

/** Bytes of files, and how many each may store. */
export function blobsModule({ database, settings, log }: Context) {
  const collector = new BlobCollector(database, settings.blobs, log);
  return {
    services: { blobs: new DatabaseBlobStore(database), allowance: new StorageAllowance(database, settings.storage) },
    close: () => collector.close(),
  };
}

import { NIL } from 'uuid';
import { AppError } from '../../contract/errors.ts';
import { isUuid } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { ObjectStore } from './object.store.ts';
import { insertOrphans, knownObjects, pageOfBlobs } from './object.table.ts';

/** How the bucket and the database agree. */
interface CheckReport {
  /** Files in the bucket as they should be. */
  well: number;
  /** Files whose object is not there, or has another size. */
  broken: { id: string; hash: string; reason: string }[];
  /** Objects that the database does not know, and their bytes. */
  orphans: number;
  orphanBytes: number;
}

const pageSize = 500;
const atOnce = 8;
/** A younger object may belong to what the database is just about to say. */
const youngMs = 3_600_000;

/** Compares the bucket with the database in both directions, for after a restore of one of them (docs/backup.md). */
export class ObjectCheck {
  private readonly database: Database;
  private readonly objects: ObjectStore | null;

  constructor(database: Database, objects: ObjectStore | null) {
    this.database = database;
    this.objects = objects;
  }

  /**
   * @param letGo whether the collector shall delete the orphans
   * @throws AppError FILES_UNAVAILABLE; S3Error
   */
  async run(letGo: boolean): Promise<CheckReport> {
    const objects = this.objects;
    if (!objects) throw new AppError('FILES_UNAVAILABLE', { message: 'There is no bucket; set S3_BUCKET.' });
    const report: CheckReport = { well: 0, broken: [], orphans: 0, orphanBytes: 0 };
    await this.checkFiles(objects, report);
    const before = dateNow().getTime() - youngMs;
    for await (const page of objects.listed()) {
      const known = await knownObjects(this.database.committedRows, page.map(({ id }) => id).filter(isUuid));
      const orphans = page.filter(({ id, changedAt }) => isUuid(id) && !known.has(id) && changedAt.getTime() < before);
      report.orphans += orphans.length;
      report.orphanBytes += orphans.reduce((sum, { size }) => sum + size, 0);
      const ids = orphans.map(({ id }) => id);
      if (letGo) await insertOrphans(this.database.committedRows, ids);
    }
    return report;
  }

  private async checkFiles(objects: ObjectStore, report: CheckReport): Promise<void> {
    for (let after: string = NIL; ; ) {
      const page = await pageOfBlobs(this.database.committedRows, after, pageSize);
      const there = page.flatMap((blob) => (blob.objectId === null ? [] : [{ ...blob, objectId: blob.objectId }]));
      for (let at = 0; at < there.length; at += atOnce) {
        const group = there.slice(at, at + atOnce);
        const sizes = await Promise.all(group.map(({ objectId }) => objects.sizeOf(objectId)));
        for (const [index, { id, hash, size }] of group.entries()) {
          const found = sizes[index];
          if (found === size) report.well++;
          else report.broken.push({ id, hash, reason: found == null ? 'is not there' : `has ${found} bytes` });
        }
      }
      const last = page.at(-1);
      if (!last) return;
      after = last.id;
    }
  }
}

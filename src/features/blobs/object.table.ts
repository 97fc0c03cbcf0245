import type { Rows } from '../../database/database.ts';
import { type BlobRow, blobColumns, type NewRow } from './blob.table.ts';

/** Remembers an object before anything of it is in the bucket. */
export async function insertLoose(rows: Rows, id: string): Promise<void> {
  await rows('INSERT INTO loose_objects (id) VALUES ($1)', [id]);
}

/** Says that an object is still being uploaded. @returns false: it is being deleted */
export async function touchLoose(rows: Rows, id: string, uploadId: string | null): Promise<boolean> {
  const touched = await rows(
    'UPDATE loose_objects SET since = now(), upload_id = $2 WHERE id = $1 AND NOT removing RETURNING id',
    [id, uploadId],
  );
  return touched.length > 0;
}

/** An object in the bucket that nothing refers to. */
export interface LooseRow {
  id: string;
  uploadId: string | null;
}

/** Takes some of those that were loose for the whole grace period: from now on no blob can refer to them. */
export function claimLoose(rows: Rows, graceSeconds: number, limit: number): Promise<LooseRow[]> {
  return rows<LooseRow>(
    `UPDATE loose_objects SET removing = true WHERE id IN (
       SELECT id FROM loose_objects WHERE removing OR since < now() - make_interval(secs => $1)
       ORDER BY since LIMIT $2 FOR UPDATE SKIP LOCKED
     ) RETURNING id, upload_id AS "uploadId"`,
    [graceSeconds, limit],
  );
}

/** It is in the bucket no more. */
export async function forgetLoose(rows: Rows, id: string): Promise<void> {
  await rows('DELETE FROM loose_objects WHERE id = $1 AND removing', [id]);
}

/**
 * Makes a blob of an uploaded object.
 * @returns undefined: another blob has the same content, or the object is being deleted
 */
export async function adoptObject(
  rows: Rows,
  { id, hash, size, chunkSize, objectId }: BlobRow,
): Promise<NewRow | undefined> {
  const [row] = await rows<NewRow>(
    `WITH held AS (
       SELECT id FROM loose_objects WHERE id = $5 AND NOT removing FOR UPDATE
     ), blob AS (
       INSERT INTO blobs (id, hash, size, chunk_size, object_id, unused_since) SELECT $1, $2, $3, $4, held.id, now() FROM held
       ON CONFLICT (hash) DO NOTHING RETURNING id, object_id, xmin::text AS version
     ), adopted AS (
       DELETE FROM loose_objects l USING blob WHERE l.id = blob.object_id
     )
     SELECT id, version FROM blob`,
    [id, hash, size, chunkSize, objectId],
  );
  return row;
}

/** What the mover has to know of a blob. */
export type MovableRow = BlobRow & { hasChunks: boolean };

/** Blobs whose content has arrived, in the order of their ids. */
export function pageOfBlobs(rows: Rows, after: string, limit: number): Promise<MovableRow[]> {
  return rows<MovableRow>(
    `SELECT ${blobColumns}, EXISTS (SELECT FROM blob_chunks c WHERE c.blob_id = b.id) AS "hasChunks"
     FROM blobs b WHERE b.id > $1 AND b.hash IS NOT NULL ORDER BY b.id LIMIT $2`,
    [after, limit],
  );
}

/**
 * From now on an object holds the blob; its chunks are to be deleted next. Part of a transaction.
 * @returns false: the blob is gone, or has been moved
 */
export async function moveToObject(rows: Rows, id: string, objectId: string): Promise<boolean> {
  const moved = await rows('UPDATE blobs SET object_id = $2 WHERE id = $1 AND object_id IS NULL RETURNING id', [
    id,
    objectId,
  ]);
  if (moved.length === 0) return false;
  const adopted = await rows('DELETE FROM loose_objects WHERE id = $1 AND NOT removing RETURNING id', [objectId]);
  if (adopted.length === 0) throw new Error(`The object ${objectId} was deleted while it was uploaded.`);
  return true;
}

/** From now on the chunks hold the blob, and its object is loose. @returns false: the blob is gone, or has been moved */
export async function moveToChunks(rows: Rows, id: string, objectId: string): Promise<boolean> {
  const moved = await rows(
    `WITH moved AS (
       UPDATE blobs SET object_id = NULL WHERE id = $1 AND object_id = $2 RETURNING id
     ), loose AS (
       INSERT INTO loose_objects (id) SELECT $2::uuid FROM moved ON CONFLICT DO NOTHING
     )
     SELECT id FROM moved`,
    [id, objectId],
  );
  return moved.length > 0;
}

/** Deletes some chunks of a blob that an object holds. @returns how many */
export async function deleteChunks(rows: Rows, id: string, limit: number): Promise<number> {
  const deleted = await rows(
    `DELETE FROM blob_chunks WHERE blob_id = $1 AND position IN (
       SELECT position FROM blob_chunks WHERE blob_id = $1 ORDER BY position LIMIT $2
     ) AND EXISTS (SELECT FROM blobs WHERE id = $1 AND object_id IS NOT NULL) RETURNING position`,
    [id, limit],
  );
  return deleted.length;
}

/** Whether any blob is in a bucket. */
export async function hasObjects(rows: Rows): Promise<boolean> {
  const [row] = await rows<{ has: boolean }>('SELECT EXISTS (SELECT FROM blobs WHERE object_id IS NOT NULL) AS has');
  return row?.has === true;
}

/** Which of these objects are known, to a blob or as loose. */
export async function knownObjects(rows: Rows, ids: string[]): Promise<Set<string>> {
  const known = await rows<{ id: string }>(
    `SELECT object_id AS id FROM blobs WHERE object_id = ANY($1::uuid[])
     UNION ALL SELECT id FROM loose_objects WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  return new Set(known.map(({ id }) => id));
}

/** Has the collector delete objects that nothing knows. */
export async function insertOrphans(rows: Rows, ids: string[]): Promise<void> {
  await rows('INSERT INTO loose_objects (id) SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING', [ids]);
}

import type { Rows } from '../../database/database.ts';

/** A new row in the store. Any later writer of the same content changes its version. */
export interface NewRow {
  id: string;
  version: string;
}

/** How many chunks are written with one statement. */
export const chunksAtOnce = 4;

const values = Array.from({ length: chunksAtOnce }, (_, index) => `($1, $${2 + 2 * index}, $${3 + 2 * index})`);
const insertOne = 'INSERT INTO blob_chunks (blob_id, position, data) VALUES ($1, $2, $3)';
const insertBatch = `INSERT INTO blob_chunks (blob_id, position, data) VALUES ${values.join(', ')}`;

/** Begins a blob whose content is still arriving. */
export async function insertUnfinished(rows: Rows, id: string, chunkSize: number): Promise<void> {
  await rows('INSERT INTO blobs (id, chunk_size, unused_since) VALUES ($1, $2, now())', [id, chunkSize]);
}

/** Writes chunks with their positions. */
export async function insertChunks(rows: Rows, id: string, chunks: (readonly [number, Buffer])[]): Promise<void> {
  if (chunks.length === chunksAtOnce) await rows(insertBatch, [id, ...chunks.flat()]);
  else for (const chunk of chunks) await rows(insertOne, [id, ...chunk]);
}

/** The blob with a content, used from now on, if there is one. */
export async function touchByHash(rows: Rows, hash: string): Promise<string | undefined> {
  const [known] = await rows<{ id: string }>('UPDATE blobs SET unused_since = now() WHERE hash = $1 RETURNING id', [
    hash,
  ]);
  return known?.id;
}

/** Says what has arrived. Fails on the unique hash if another blob has the same content. */
export async function finishBlob(
  rows: Rows,
  { id, hash, size }: { id: string; hash: string; size: number },
): Promise<NewRow> {
  const [row] = await rows<NewRow>(
    'UPDATE blobs SET hash = $2, size = $3, unused_since = now() WHERE id = $1 RETURNING id, xmin::text AS version',
    [id, hash, size],
  );
  if (!row) throw new Error('A blob was removed while it was written.');
  return row;
}

/** Stores a whole blob, or finds the one with the same content. */
export async function upsertBlob(
  rows: Rows,
  { id, hash, size, chunkSize }: { id: string; hash: string; size: number; chunkSize: number },
  chunks: Buffer[],
): Promise<NewRow & { isNew: boolean }> {
  const [row] = await rows<NewRow & { isNew: boolean }>(
    `WITH blob AS (
       INSERT INTO blobs (id, hash, size, chunk_size, unused_since) VALUES ($1, $2, $3, $4, now())
       ON CONFLICT (hash) DO UPDATE SET unused_since = now() RETURNING id, xmin::text AS version
     ), chunks AS (
       INSERT INTO blob_chunks (blob_id, position, data)
       SELECT blob.id, chunk.number - 1, chunk.data
       FROM blob, unnest($5::bytea[]) WITH ORDINALITY AS chunk (data, number) WHERE blob.id = $1
     )
     SELECT id, version, id = $1 AS "isNew" FROM blob`,
    [id, hash, size, chunkSize, chunks],
  );
  if (!row) throw new Error('A blob was not kept.');
  return row;
}

export async function deleteBlob(rows: Rows, id: string): Promise<void> {
  await rows('DELETE FROM blobs WHERE id = $1', [id]);
}

/** Unless someone has stored the same content since. */
export async function deleteVersion(rows: Rows, id: string, version: string): Promise<void> {
  await rows('DELETE FROM blobs WHERE id = $1 AND xmin::text = $2', [id, version]);
}

/** A blob whose content has arrived. */
export interface BlobRow {
  id: string;
  /** SHA-256 in hex. */
  hash: string;
  /** Bytes. */
  size: number;
  chunkSize: number;
  /** The object that holds it; null: its chunks do. */
  objectId: string | null;
}

export const blobColumns = 'b.id, b.hash, b.size, b.chunk_size AS "chunkSize", b.object_id AS "objectId"';

/** Small blobs with their bytes, which are empty where an object holds them. */
export function readWhole(rows: Rows, ids: string[]): Promise<(BlobRow & { data: Buffer })[]> {
  return rows<BlobRow & { data: Buffer }>(
    `SELECT ${blobColumns}, coalesce(
         (SELECT string_agg(c.data, '' ORDER BY c.position) FROM blob_chunks c WHERE c.blob_id = b.id AND b.object_id IS NULL), ''
       ) AS data
     FROM blobs b WHERE b.id = ANY($1::uuid[]) AND b.hash IS NOT NULL`,
    [ids],
  );
}

/** What is known of a blob. Only the place of its bytes may change. */
export async function findBlob(rows: Rows, id: string): Promise<BlobRow | undefined> {
  const [blob] = await rows<BlobRow>(`SELECT ${blobColumns} FROM blobs b WHERE b.id = $1 AND b.hash IS NOT NULL`, [id]);
  return blob;
}

export async function readChunk(rows: Rows, id: string, position: number): Promise<Buffer | undefined> {
  const [chunk] = await rows<{ data: Buffer }>('SELECT data FROM blob_chunks WHERE blob_id = $1 AND position = $2', [
    id,
    position,
  ]);
  return chunk?.data;
}

/**
 * Looks at a batch of blobs, and marks those that became unused, or used again. @param used see `usedBy`
 * @returns all of the batch, and which of them have been unused for the whole grace period
 */
export function markUnused(
  rows: Rows,
  used: string,
  { after, limit, graceSeconds }: { after: string; limit: number; graceSeconds: number },
): Promise<{ id: string; overdue: boolean }[]> {
  return rows<{ id: string; overdue: boolean }>(
    `WITH seen AS (
       SELECT b.id, b.unused_since, ${used} AS used FROM blobs b WHERE b.id > $1 ORDER BY b.id LIMIT $2
     ), marked AS (
       UPDATE blobs SET unused_since = CASE WHEN seen.used THEN NULL ELSE now() END
       FROM seen WHERE blobs.id = seen.id AND seen.used = (seen.unused_since IS NOT NULL)
     )
     SELECT id, NOT used AND unused_since < now() - make_interval(secs => $3) AS overdue FROM seen ORDER BY id`,
    [after, limit, graceSeconds],
  );
}

/** Deletes a blob that is still unused. @returns how many it deleted */
export async function deleteUnused(rows: Rows, used: string, id: string, graceSeconds: number): Promise<number> {
  const removed = await rows(
    `DELETE FROM blobs b WHERE b.id = $1 AND b.unused_since < now() - make_interval(secs => $2) AND NOT ${used}
     RETURNING b.id`,
    [id, graceSeconds],
  );
  return removed.length;
}

/** The condition "something refers to blob b", built from all foreign keys to the table, so that none can be forgotten. */
export async function usedBy(rows: Rows): Promise<string> {
  const keys = await rows<{ table: string; column: string }>(
    `SELECT format('%I', t.relname) AS "table", format('%I', a.attname) AS "column"
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
     WHERE c.contype = 'f' AND c.confrelid = 'blobs'::regclass AND c.conrelid <> 'blob_chunks'::regclass
     ORDER BY 1, 2`,
  );
  const uses = keys.map(({ table, column }) => `EXISTS (SELECT 1 FROM ${table} u WHERE u.${column} = b.id)`);
  return `(${['false', ...uses].join(' OR ')})`;
}

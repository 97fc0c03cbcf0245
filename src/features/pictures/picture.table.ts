import type { PictureSize } from '../../contract/picture.ts';
import type { Rows } from '../../database/database.ts';

/** One size of a picture. */
export interface PictureRow {
  name: string;
  size: PictureSize;
  uploaderId: string;
  blobId: string;
  bytes: number;
  width: number;
  height: number;
  isAnimated: boolean;
}

const shownIn = [
  ['users', 'avatar_url'],
  ['servers', 'icon_url'],
  ['servers', 'banner_url'],
  ['apps', 'icon_url'],
  ['server_emoji', 'url'],
] as const;

/** SQL: whether something shows a picture, by its alias. The second conditions are those of the indexes. */
export const isShown = (alias: string): string =>
  shownIn
    .map(
      ([table, column]) =>
        `EXISTS (SELECT 1 FROM ${table} u WHERE u.${column} = '/media/' || ${alias}.name || '.webp' AND u.${column} LIKE '/media/%')`,
    )
    .join(' OR ');

export async function insertPicture(rows: Rows, sizes: PictureRow[]): Promise<void> {
  for (const { name, size, uploaderId, blobId, bytes, width, height, isAnimated } of sizes) {
    await rows(
      `INSERT INTO pictures (name, size, uploader_id, blob_id, bytes, width, height, is_animated,
         created_at, unused_since, check_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now(), now(), now() + interval '1 day')`,
      [name, size, uploaderId, blobId, bytes, width, height, isAnimated],
    );
  }
}

/** Where the bytes of a picture are. */
export async function findPicture(
  rows: Rows,
  name: string,
  size: PictureSize,
): Promise<{ blobId: string; bytes: number } | undefined> {
  const [row] = await rows<{ blobId: string; bytes: number }>(
    'SELECT blob_id AS "blobId", bytes FROM pictures WHERE name = $1 AND size = $2',
    [name, size],
  );
  return row;
}

/** Keeps a picture that is about to be shown somewhere, if it is there. */
export async function holdPicture(rows: Rows, name: string): Promise<void> {
  await rows(`UPDATE pictures SET unused_since = NULL, check_at = now() + interval '1 day' WHERE name = $1`, [name]);
}

/** The bytes of someone's upload for messages. */
export async function findUpload(
  rows: Rows,
  userId: string,
  id: string,
): Promise<{ blobId: string; size: number } | undefined> {
  const [row] = await rows<{ blobId: string; size: number }>(
    'SELECT blob_id AS "blobId", size FROM attachments WHERE id = $1 AND uploader_id = $2',
    [id, userId],
  );
  return row;
}

/**
 * Looks at some pictures that were not looked at for a day: notes whether anything shows them, and deletes those that
 * nothing has shown for the grace period.
 * @returns how many it looked at
 */
export async function sweepPictures(rows: Rows, graceSeconds: number): Promise<number> {
  const [{ count = 0 } = {}] = await rows<{ count: number }>(
    `WITH due AS (
       SELECT p.name, p.size, p.unused_since, ${isShown('p')} AS used FROM pictures p
       WHERE p.check_at < now() ORDER BY p.check_at LIMIT 100 FOR UPDATE SKIP LOCKED
     ), judged AS (
       SELECT *, NOT used AND coalesce(unused_since < now() - make_interval(secs => $1), false) AS over FROM due
     ), gone AS (
       DELETE FROM pictures p USING judged j WHERE p.name = j.name AND p.size = j.size AND j.over
     ), kept AS (
       UPDATE pictures p SET check_at = now() + interval '1 day',
         unused_since = CASE WHEN j.used THEN NULL ELSE coalesce(j.unused_since, now()) END
       FROM judged j WHERE p.name = j.name AND p.size = j.size AND NOT j.over
     )
     SELECT count(*)::int AS count FROM due`,
    [graceSeconds],
  );
  return count;
}

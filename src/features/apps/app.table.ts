import type { Rows } from '../../database/database.ts';
import type { BundleFile } from './bundle.ts';

/** An active app, with one of the files that were looked for; without a path if there is none. */
export interface FoundFile {
  appId: string;
  type: 'html' | 'zip' | 'url';
  path: string | null;
  blobId: string | null;
  size: number;
}

/** The app and its file in one statement: it sees one version, even during a publish. */
const find = `SELECT a.id AS "appId", a.type, f.path, f.blob_id AS "blobId", f.size_bytes AS size
  FROM apps a JOIN servers s ON s.id = a.server_id
    LEFT JOIN app_files f ON f.app_id = a.id AND f.version = a.version AND f.path = ANY($5::text[])
  WHERE (s.id = $1 OR s.slug = $2) AND (a.id = $3 OR a.slug = $4) AND a.status = 'active'`;
const findUrls = "SELECT id, url FROM apps WHERE id = ANY($1::uuid[]) AND type = 'url' AND status = 'active'";
/** Rows are locked in a fixed order, so that nodes that write at once do not deadlock. */
const count = `WITH seen AS (SELECT * FROM unnest($1::uuid[], $2::int[]) AS view (id, count)),
    locked AS (SELECT id FROM apps WHERE id IN (SELECT id FROM seen) ORDER BY id FOR NO KEY UPDATE)
  UPDATE apps SET view_count = view_count + seen.count FROM seen JOIN locked USING (id) WHERE apps.id = seen.id`;
const insert = `INSERT INTO app_files (app_id, version, path, blob_id, size_bytes)
  SELECT $1, $2, file.path, file.blob_id, file.size
  FROM unnest($3::text[], $4::uuid[], $5::bigint[]) AS file (path, blob_id, size)`;

/** The served files of an active app among `paths`. Server and app: an id, or a slug. */
export function findFiles(
  rows: Rows,
  server: { id: string | null; slug: string | null },
  app: { id: string | null; slug: string | null },
  paths: string[],
): Promise<FoundFile[]> {
  return rows<FoundFile>(find, [server.id, server.slug, app.id, app.slug, paths]);
}

/** The addresses of those of the apps that are active and of type `url`, by their ids. */
export async function urlsOfApps(rows: Rows, appIds: string[]): Promise<Map<string, string>> {
  const found = await rows<{ id: string; url: string | null }>(findUrls, [appIds]);
  return new Map(found.flatMap(({ id, url }) => (url === null ? [] : [[id, url]])));
}

/** Adds to the counts of apps' views. */
export async function addViews(rows: Rows, views: ReadonlyMap<string, number>): Promise<void> {
  await rows(count, [[...views.keys()], [...views.values()]]);
}

/** Adds the files of a version, however many. */
export async function insertFiles(rows: Rows, appId: string, version: number, files: BundleFile[]): Promise<void> {
  await rows(insert, [
    appId,
    version,
    files.map(({ path }) => path),
    files.map(({ blobId }) => blobId),
    files.map(({ size }) => size),
  ]);
}

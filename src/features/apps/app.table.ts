import type { z } from 'zod';
import type { updateAppSchema } from '../../contract/app.ts';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { type AppRow, appColumns } from './app.view.ts';
import type { BundleFile } from './bundle.ts';

/** The contents of a version of an app. */
export interface Content {
  type: AppRow['type'];
  url: string | null;
  files: BundleFile[];
}

/** The data of a new app. */
export interface Description {
  name: string;
  slug: string;
  status?: AppRow['status'];
  isHomepage?: boolean;
  description?: string | null;
  iconUrl?: string | null;
}

const insert = `INSERT INTO apps (id, server_id, name, slug, type, status, description, icon_url, url, is_homepage,
  created_by, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now(), now()) RETURNING ${appColumns}`;

/** Adds an app with the files of its first version; as the homepage it replaces the present one. */
export async function insertApp(
  change: Change,
  createdBy: string,
  serverId: string,
  input: Description,
  content: Content,
): Promise<AppRow> {
  const id = newId();
  if (input.isHomepage) await unsetHomepage(change, serverId, id);
  const { name, slug, status = 'active', description = null, iconUrl = null, isHomepage = false } = input;
  const [row] = await change.rows<AppRow>(insert, [
    id,
    serverId,
    name,
    slug,
    content.type,
    status,
    description,
    iconUrl,
    content.url,
    isHomepage,
    createdBy,
  ]);
  if (!row) throw new Error('An app was not kept.');
  await insertFiles(change, id, row.version, content.files);
  return row;
}

/** Writes the files of the next version and makes it the served one. */
export async function publishFiles(change: Change, appId: string, files: BundleFile[]): Promise<void> {
  const [row] = await change.rows<{ version: number }>(
    'UPDATE apps SET version = version + 1, updated_at = now() WHERE id = $1 RETURNING version',
    [appId],
  );
  if (!row) throw new AppError('APP_NOT_FOUND');
  await insertFiles(change, appId, row.version, files);
  await change.rows('DELETE FROM app_files WHERE app_id = $1 AND version < $2', [appId, row.version]);
}

/** Changes the given fields of an app; as the homepage it replaces the present one. @throws AppError APP_NOT_FOUND */
export async function describeApp(
  change: Change,
  appId: string,
  input: z.output<typeof updateAppSchema>,
): Promise<AppRow> {
  const [old] = await change.rows<AppRow>(`SELECT ${appColumns} FROM apps WHERE id = $1`, [appId]);
  if (!old) throw new AppError('APP_NOT_FOUND');
  if (input.isHomepage) await unsetHomepage(change, old.server_id, appId);
  const [row] = await change.rows<AppRow>(
    `UPDATE apps SET name = $2, slug = $3, status = $4, description = $5, icon_url = $6, url = $7, is_homepage = $8,
         updated_at = now() WHERE id = $1 RETURNING ${appColumns}`,
    [
      appId,
      input.name ?? old.name,
      input.slug ?? old.slug,
      input.status ?? old.status,
      input.description !== undefined ? input.description : old.description,
      input.iconUrl !== undefined ? input.iconUrl : old.icon_url,
      input.url ?? old.url,
      input.isHomepage ?? old.is_homepage,
    ],
  );
  if (!row) throw new AppError('APP_NOT_FOUND');
  return row;
}

async function unsetHomepage(change: Change, serverId: string, exceptId: string): Promise<void> {
  await change.rows('UPDATE apps SET is_homepage = false WHERE server_id = $1 AND is_homepage AND id <> $2', [
    serverId,
    exceptId,
  ]);
}

async function insertFiles(change: Change, appId: string, version: number, files: BundleFile[]): Promise<void> {
  await change.rows(
    `INSERT INTO app_files (app_id, version, path, blob_id, size_bytes)
     SELECT $1, $2, file.path, file.blob_id, file.size
     FROM unnest($3::text[], $4::uuid[], $5::bigint[]) AS file (path, blob_id, size)`,
    [appId, version, files.map(({ path }) => path), files.map(({ blobId }) => blobId), files.map(({ size }) => size)],
  );
}

/** The slugs of the apps of a server, of any status. */
export async function takenSlugs(rows: Rows, serverId: string): Promise<Set<string>> {
  const found = await rows<{ slug: string }>('SELECT slug FROM apps WHERE server_id = $1', [serverId]);
  return new Set(found.map((row) => row.slug));
}

/** The bytes of all files of a server's apps. */
export async function bytesOfApps(rows: Rows, serverId: string): Promise<number> {
  const [sum] = await rows<{ bytes: string }>(
    `SELECT coalesce(sum(f.size_bytes), 0) AS bytes FROM apps a JOIN app_files f ON f.app_id = a.id WHERE a.server_id = $1`,
    [serverId],
  );
  return Number(sum?.bytes ?? 0);
}

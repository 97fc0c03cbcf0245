import type { Rows } from '../../database/database.ts';

/** An import as it is known. */
export interface ImportRow {
  id: string;
  product: string;
  serverId: string | null;
  serverName: string | null;
  choices: unknown;
  report: unknown;
  createdAt: Date | string;
  isFinished: boolean;
}

const columns = `i.id, i.product, i.server_id AS "serverId", s.name AS "serverName", i.choices, i.report,
  i.created_at AS "createdAt", i.finished_at IS NOT NULL AS "isFinished"`;
const all = `SELECT ${columns} FROM imports i LEFT JOIN servers s ON s.id = i.server_id ORDER BY i.created_at DESC LIMIT 200`;
const alike = `SELECT ${columns} FROM imports i LEFT JOIN servers s ON s.id = i.server_id
  WHERE i.product = $1 AND i.fingerprint = $2 ORDER BY i.created_at`;
const one = `SELECT ${columns} FROM imports i LEFT JOIN servers s ON s.id = i.server_id WHERE i.id = $1`;
const insert = `INSERT INTO imports (id, product, fingerprint, server_id, choices, report)
  VALUES ($1, $2, $3, $4, $5, $6)`;

/** The latest imports. */
export function readImports(rows: Rows): Promise<ImportRow[]> {
  return rows<ImportRow>(all);
}

/** The imports of the same export. */
export function importsOf(rows: Rows, product: string, fingerprint: string): Promise<ImportRow[]> {
  return rows<ImportRow>(alike, [product, fingerprint]);
}

export async function importById(rows: Rows, id: string): Promise<ImportRow | undefined> {
  return (await rows<ImportRow>(one, [id]))[0];
}

interface NewImport {
  id: string;
  product: string;
  fingerprint: string;
  serverId: string | null;
  choices: object;
}

export async function insertImport(
  rows: Rows,
  { id, product, fingerprint, serverId, choices }: NewImport,
): Promise<void> {
  await rows(insert, [id, product, fingerprint, serverId, JSON.stringify(choices), '{}']);
}

export async function keepReport(rows: Rows, id: string, report: object): Promise<void> {
  await rows('UPDATE imports SET report = $2 WHERE id = $1', [id, JSON.stringify(report)]);
}

/** @returns false: it has a server already */
export async function giveServer(rows: Rows, id: string, serverId: string): Promise<boolean> {
  const given = await rows('UPDATE imports SET server_id = $2 WHERE id = $1 AND server_id IS NULL RETURNING id', [
    id,
    serverId,
  ]);
  return given.length > 0;
}

export async function finishImport(rows: Rows, id: string): Promise<void> {
  await rows('UPDATE imports SET finished_at = now() WHERE id = $1', [id]);
}

export async function deleteImport(rows: Rows, id: string): Promise<void> {
  await rows('DELETE FROM imports WHERE id = $1', [id]);
}

const someUnfinished = `SELECT m.id FROM messages m WHERE m.channel_id = $1
  AND NOT EXISTS (SELECT FROM channels c WHERE c.id = $1) LIMIT 1000`;

/** Removes messages of a channel that never came to be, some at a time. @returns how many */
export async function deleteUnfinished(rows: Rows, channelId: string): Promise<number> {
  const ids = (await rows<{ id: string }>(someUnfinished, [channelId])).map(({ id }) => id);
  await rows('DELETE FROM attachments WHERE message_id = ANY($1::uuid[])', [ids]);
  await rows('DELETE FROM messages WHERE channel_id = $1 AND id = ANY($2::uuid[])', [channelId, ids]);
  return ids.length;
}

/** A channel of an import, and how far it is. */
export interface ImportChannelRow {
  key: string;
  channelId: string;
  name: string;
  state: 'writing' | 'written' | 'told';
  at: number;
  place: number;
  seq: number;
}

const channels = `SELECT key, channel_id AS "channelId", name, state, last_at AS at, last_place AS place, last_seq AS seq
  FROM import_channels WHERE import_id = $1 ORDER BY name, key`;
const insertChannels = `INSERT INTO import_channels (import_id, key, channel_id, name)
  SELECT $1::uuid, c.key, c.id, c.name FROM json_to_recordset($2::json) AS c (key text, id uuid, name text) ON CONFLICT DO NOTHING`;
const advance = `UPDATE import_channels SET last_at = $4, last_place = $5, last_seq = $6
  WHERE import_id = $1 AND key = $2 AND last_seq = $3 AND state = 'writing' RETURNING key`;
const named = 'SELECT name FROM channels WHERE server_id = $1';

export function importChannels(rows: Rows, importId: string): Promise<ImportChannelRow[]> {
  return rows<ImportChannelRow>(channels, [importId]);
}

export async function insertImportChannels(
  rows: Rows,
  importId: string,
  planned: { key: string; id: string; name: string }[],
): Promise<void> {
  await rows(insertChannels, [importId, JSON.stringify(planned)]);
}

/** Notes how far a channel is written. @returns false: another run was there before */
export async function advanceChannel(
  rows: Rows,
  importId: string,
  channel: ImportChannelRow,
  to: Pick<ImportChannelRow, 'at' | 'place' | 'seq'>,
): Promise<boolean> {
  const moved = await rows(advance, [importId, channel.key, channel.seq, to.at, to.place, to.seq]);
  return moved.length > 0;
}

/** @returns false: another run was there before */
export async function setChannelState(
  rows: Rows,
  importId: string,
  key: string,
  from: ImportChannelRow['state'],
  to: ImportChannelRow['state'],
): Promise<boolean> {
  const set = await rows(
    'UPDATE import_channels SET state = $4 WHERE import_id = $1 AND key = $2 AND state = $3 RETURNING key',
    [importId, key, from, to],
  );
  return set.length > 0;
}

/** The names of a server's channels. */
export async function channelNames(rows: Rows, serverId: string): Promise<string[]> {
  return (await rows<{ name: string }>(named, [serverId])).map(({ name }) => name);
}

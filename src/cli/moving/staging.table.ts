import type { Rows } from '../../database/database.ts';

/** A record as it waits to be written. */
export interface StagedRecord {
  kind: string;
  key: string;
  channel: string | null;
  at: number;
  place: number;
  data: object;
}

const insert = `INSERT INTO import_records (import_id, kind, key, channel, at, place, data)
  SELECT $1::uuid, r.kind, r.key, r.channel, r.at, r.place, r.data
  FROM json_to_recordset($2::json) AS r (kind text, key text, channel text, at bigint, place bigint, data json)
  ON CONFLICT DO NOTHING RETURNING kind, key`;

/** @returns the kinds and keys of those that were not there */
export function stage(rows: Rows, importId: string, records: StagedRecord[]): Promise<{ kind: string; key: string }[]> {
  return rows(insert, [importId, JSON.stringify(records)]);
}

const unknownPeople = `INSERT INTO import_records (import_id, kind, key, data)
  SELECT $1::uuid, 'person', named.key, json_build_object('username', named.key, 'displayName', named.key, 'email', NULL,
    'isBot', false, 'isGone', true)
  FROM (SELECT DISTINCT data ->> 'author' AS key FROM import_records WHERE import_id = $1 AND kind = 'message') AS named
  ON CONFLICT DO NOTHING RETURNING key`;

/** Adds the authors of whom nothing but their key is known. @returns their keys */
export async function addUnknownAuthors(rows: Rows, importId: string): Promise<string[]> {
  return (await rows<{ key: string }>(unknownPeople, [importId])).map(({ key }) => key);
}

const orphans = `SELECT m.key FROM import_records m
  WHERE m.import_id = $1 AND m.kind = 'message' AND m.data ->> 'root' IS NOT NULL AND NOT EXISTS (
    SELECT FROM import_records r WHERE r.import_id = $1 AND r.kind = 'message' AND r.key = m.data ->> 'root'
      AND r.channel = m.channel AND r.data ->> 'root' IS NULL)`;
const countOrphans = `SELECT count(*)::int AS count, min(key) AS example FROM (${orphans}) AS o`;

/** Replies of which the message that their thread starts from is not there. */
export async function orphansOf(rows: Rows, importId: string): Promise<{ count: number; example: string }> {
  const [found] = await rows<{ count: number; example: string | null }>(countOrphans, [importId]);
  return { count: found?.count ?? 0, example: found?.example ?? '' };
}

const countThreads = `SELECT count(DISTINCT data ->> 'root')::int AS count FROM import_records
  WHERE import_id = $1 AND kind = 'message' AND data ->> 'root' IS NOT NULL`;

export async function threadsOf(rows: Rows, importId: string): Promise<number> {
  return (await rows<{ count: number }>(countThreads, [importId]))[0]?.count ?? 0;
}

const page = `SELECT key, data FROM import_records WHERE import_id = $1 AND kind = $2 AND key > $3
  ORDER BY key LIMIT $4`;

/** All records of a kind, by their keys, in pages. */
export async function* stagedOf(
  rows: Rows,
  importId: string,
  kind: string,
): AsyncGenerator<{ key: string; data: unknown }[]> {
  const most = 200;
  for (let after = ''; ; ) {
    const found = await rows<{ key: string; data: unknown }>(page, [importId, kind, after, most]);
    if (found.length > 0) yield found;
    const last = found.at(-1);
    if (!last || found.length < most) return;
    after = last.key;
  }
}

const count = 'SELECT count(*)::int AS count FROM import_records WHERE import_id = $1 AND kind = $2';

export async function countStaged(rows: Rows, importId: string, kind: string): Promise<number> {
  return (await rows<{ count: number }>(count, [importId, kind]))[0]?.count ?? 0;
}

export interface StagedMessage {
  key: string;
  at: number;
  place: number;
  data: unknown;
}

const messages = `SELECT key, at, place, data FROM import_records
  WHERE import_id = $1 AND kind = 'message' AND channel = $2 AND (at, place) > ($3, $4)
  ORDER BY at, place LIMIT $5`;

/** The next messages of a channel, in the order in which they were sent. */
export function nextMessages(
  rows: Rows,
  importId: string,
  channel: string,
  after: { at: number; place: number },
  most: number,
): Promise<StagedMessage[]> {
  return rows<StagedMessage>(messages, [importId, channel, after.at, after.place, most]);
}

const present = `SELECT key, at, (data ->> 'root') IS NULL AS "isRoot" FROM import_records
  WHERE import_id = $1 AND kind = 'message' AND channel = $2 AND key = ANY($3::text[])`;

export interface Present {
  /** When it was sent. */
  at: number;
  /** It is in no thread. */
  isRoot: boolean;
}

/** Which of these messages a channel has. */
export async function presentAmong(
  rows: Rows,
  importId: string,
  channel: string,
  keys: string[],
): Promise<Map<string, Present>> {
  if (keys.length === 0) return new Map();
  const found = await rows<Present & { key: string }>(present, [importId, channel, keys]);
  return new Map(found.map(({ key, at, isRoot }) => [key, { at, isRoot }]));
}

const threads = `SELECT t.key, t.data ->> 'name' AS name, m.at FROM import_records t
    JOIN import_records m ON m.import_id = $1 AND m.kind = 'message' AND m.key = t.key
  WHERE t.import_id = $1 AND t.kind = 'thread' AND t.channel = $2 AND t.key > $3
    AND m.channel = $2 AND m.data ->> 'root' IS NULL ORDER BY t.key LIMIT $4`;

interface StagedThread {
  /** The key of the message that it starts from. */
  key: string;
  name: string | null;
  /** When that was sent. */
  at: number;
}

/** The threads of a channel, in pages. */
export async function* stagedThreads(rows: Rows, importId: string, channel: string): AsyncGenerator<StagedThread[]> {
  const most = 200;
  for (let after = ''; ; ) {
    const found = await rows<StagedThread>(threads, [importId, channel, after, most]);
    if (found.length > 0) yield found;
    const last = found.at(-1);
    if (!last || found.length < most) return;
    after = last.key;
  }
}

const membersOf = `SELECT DISTINCT p.user_id AS id FROM import_records m
    JOIN import_people p ON p.import_id = $1 AND p.key = m.data ->> 'person'
  WHERE m.import_id = $1 AND m.kind = 'membership' AND m.channel = $2`;

/** The accounts of those who were in a channel. */
export async function stagedMembers(rows: Rows, importId: string, channel: string): Promise<string[]> {
  return (await rows<{ id: string }>(membersOf, [importId, channel])).map(({ id }) => id);
}

const forget = 'DELETE FROM import_records WHERE import_id = $1';

export async function forgetStaged(rows: Rows, importId: string): Promise<void> {
  await rows(forget, [importId]);
}

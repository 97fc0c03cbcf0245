import type { Rows } from '../../database/database.ts';

interface OfKind {
  kind: string;
  bytes: number;
  files: number;
}

const byKind = `SELECT kind, sum(bytes)::text AS bytes, sum(files)::text AS files FROM (
    SELECT kind, bytes, files FROM storage_usage WHERE subject_id = ANY($1::uuid[])
    UNION ALL SELECT kind, bytes, files FROM storage_changes WHERE subject_id = ANY($1::uuid[])) counted
  GROUP BY kind ORDER BY kind`;
const withBots = 'SELECT $1::uuid AS id UNION ALL SELECT user_id FROM agents WHERE owner_id = $1';
const heaviest = `SELECT subject_id AS id, sum(bytes)::text AS bytes, u.username, s.slug
  FROM storage_usage LEFT JOIN users u ON u.id = subject_id LEFT JOIN servers s ON s.id = subject_id
  WHERE u.id IS NOT NULL OR s.id IS NOT NULL
  GROUP BY subject_id, u.username, s.slug HAVING sum(bytes) > 0 ORDER BY sum(bytes) DESC LIMIT $1`;

/**
 * Adds the newest changes to what was summed up before. Who reads meanwhile sees them either way, and once. What counts for
 * someone who is no more is dropped.
 */
const sumUp = `WITH taken AS (
    SELECT id FROM storage_changes ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM storage_changes c USING taken WHERE c.id = taken.id RETURNING c.subject_id, c.kind, c.bytes, c.files
  ), kept AS (
    INSERT INTO storage_usage AS known (subject_id, kind, bytes, files, gone_bytes, gone_since)
    SELECT subject_id, kind, sum(bytes), sum(files), -sum(least(bytes, 0)), CASE WHEN min(bytes) < 0 THEN now() END FROM gone
    WHERE kind = 'stored' OR EXISTS (SELECT FROM users u WHERE u.id = subject_id) OR EXISTS (SELECT FROM servers s WHERE s.id = subject_id)
    GROUP BY subject_id, kind ORDER BY subject_id, kind
    ON CONFLICT (subject_id, kind) DO UPDATE
      SET bytes = known.bytes + excluded.bytes, files = known.files + excluded.files,
        gone_bytes = excluded.gone_bytes
          + CASE WHEN known.gone_since > now() - make_interval(secs => $2) THEN known.gone_bytes ELSE 0 END,
        gone_since = CASE WHEN known.gone_since > now() - make_interval(secs => $2) THEN known.gone_since
          ELSE excluded.gone_since END
  )
  SELECT count(*)::int AS count FROM taken`;

const pathOf = (name: string) => `'/media/' || ${name} || '.webp'`;

interface Counted {
  /** Several rows may have the same. */
  key: string;
  type: string;
  /** How many keys a step takes. */
  step: number;
  /** What else older rows do not say. */
  also?: string;
}

/** The tables with bytes. */
const counted: Record<string, Counted> = {
  attachments: {
    key: 'id',
    type: 'uuid',
    step: 200,
    also: `server_id = (SELECT c.server_id FROM messages m JOIN channels c ON c.id = m.channel_id WHERE m.id = t.message_id)`,
  },
  pictures: {
    key: 'name',
    type: 'text',
    step: 200,
    also: `server_id = coalesce(
        (SELECT e.server_id FROM server_emoji e WHERE e.url = ${pathOf('t.name')} LIMIT 1),
        (SELECT s.id FROM servers s WHERE s.icon_url = ${pathOf('t.name')} AND s.icon_url LIKE '/media/%' LIMIT 1),
        (SELECT s.id FROM servers s WHERE s.banner_url = ${pathOf('t.name')} AND s.banner_url LIKE '/media/%' LIMIT 1))`,
  },
  workspace_nodes: { key: 'id', type: 'uuid', step: 200 },
  // One app has thousands of files.
  app_files: { key: 'app_id', type: 'uuid', step: 5 },
  blobs: { key: 'id', type: 'uuid', step: 200 },
};

/** Keys before all others. */
const first: Record<string, string> = { uuid: '00000000-0000-0000-0000-000000000000', text: '' };

const counting = (table: string, { key, type, also }: Counted): string =>
  `WITH next AS (
     SELECT DISTINCT ${key} AS key FROM ${table} WHERE ${key} > $1::${type} ORDER BY 1 LIMIT $2
   ), done AS (
     UPDATE ${table} t SET is_counted = true${also ? `, ${also}` : ''} FROM next WHERE t.${key} = next.key AND NOT t.is_counted
   )
   SELECT max(key::text) AS last, count(*)::int AS count FROM next`;

const waiting = 'SELECT counted, reached FROM storage_backfills ORDER BY counted LIMIT 1 FOR UPDATE SKIP LOCKED';
const advance = 'UPDATE storage_backfills SET reached = $2 WHERE counted = $1';
const finish = 'DELETE FROM storage_backfills WHERE counted = $1';

/** @param graceSeconds how long what is deleted stays in the store. @returns how many changes were added */
export async function sumUpChanges(rows: Rows, limit: number, graceSeconds: number): Promise<number> {
  return (await rows<{ count: number }>(sumUp, [limit, graceSeconds]))[0]?.count ?? 0;
}

/** Counts some rows from before bytes were counted. @returns 0 when there are none left */
export async function countOlder(rows: Rows): Promise<number> {
  const [next] = await rows<{ counted: string; reached: string }>(waiting);
  const table = next && counted[next.counted];
  if (!next || !table) return 0;
  const after = next.reached || (first[table.type] ?? '');
  const [step] = await rows<{ last: string | null; count: number }>(counting(next.counted, table), [after, table.step]);
  if (step?.last) await rows(advance, [next.counted, step.last]);
  else await rows(finish, [next.counted]);
  return Math.max(step?.count ?? 0, 1);
}

/** Whether rows from before bytes were counted are not counted yet. */
export async function isCounting(rows: Rows): Promise<boolean> {
  return (await rows('SELECT 1 AS one FROM storage_backfills LIMIT 1')).length > 0;
}

/** What some subjects have stored together, by kind. */
export async function usageOf(rows: Rows, subjectIds: string[]): Promise<OfKind[]> {
  const found = await rows<{ kind: string; bytes: string; files: string }>(byKind, [subjectIds]);
  return found.map(({ kind, bytes, files }) => ({ kind, bytes: Number(bytes), files: Number(files) }));
}

/** A person and their bots. */
export async function withBotsOf(rows: Rows, personId: string): Promise<string[]> {
  return (await rows<{ id: string }>(withBots, [personId])).map(({ id }) => id);
}

/** Who has stored most. */
export interface Heavy {
  id: string;
  bytes: number;
  /** Of a person or bot. */
  username: string | null;
  /** Of a server. */
  slug: string | null;
}

export async function heaviestOf(rows: Rows, limit: number): Promise<Heavy[]> {
  const found = await rows<Omit<Heavy, 'bytes'> & { bytes: string }>(heaviest, [limit]);
  return found.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

/** Sets what an operator allows someone; null: what the settings say. */
export async function setQuota(rows: Rows, subjectId: string, bytes: number | null): Promise<void> {
  if (bytes === null) await rows('DELETE FROM storage_quotas WHERE subject_id = $1', [subjectId]);
  else {
    await rows(
      `INSERT INTO storage_quotas (subject_id, bytes, set_at) VALUES ($1, $2, now())
       ON CONFLICT (subject_id) DO UPDATE SET bytes = excluded.bytes, set_at = now()`,
      [subjectId, bytes],
    );
  }
}

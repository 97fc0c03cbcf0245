import type { Rows } from '../../database/database.ts';
import { columnOf, isTime, type Part } from './part.ts';
import { contents } from './selections.table.ts';

/** Rows read at once: small enough for the largest of them to fit in memory. */
const pageSize = 200;

/** @param name its id or slug, in lower case */
export async function serverNamed(rows: Rows, name: string): Promise<{ id: string; name: string } | undefined> {
  const [server] = await rows<{ id: string; name: string }>(
    'SELECT id, name FROM servers WHERE id::text = $1 OR slug = $1',
    [name],
  );
  return server;
}

/** What an export takes. */
export interface Selection {
  serverId: string;
  /** Whether to include e-mail addresses; without them no user can claim an account by mail. */
  emails: boolean;
  /** Whether to include the conversations of those who move, with each other. */
  directMessages: boolean;
}

/** The lines of a part's file, without their line ends, in pages. */
export function linesOf(rows: Rows, part: Part, selection: Selection) {
  return pages<{ line: string }>(rows, part.file ?? part.table, selectLines(part, selection.emails), selection);
}

/** The contents of the files in an export, in pages. */
export function contentsOf(rows: Rows, selection: Selection) {
  return pages<{ id: string; hash: string }>(rows, 'contents', contents, selection);
}

/** PostgreSQL makes the lines: rows as objects would create enough garbage here to grow the process. */
function selectLines(part: Part, emails: boolean): string {
  const fields = Object.entries(part.shape.shape).map(([field, schema]) => {
    const value = part.select[field] ?? `t.${columnOf(field)}`;
    const isHidden = field === 'email' && !emails;
    return `${isHidden ? 'NULL' : isTime(schema) ? isoTime(value) : value} AS "${field}"`;
  });
  // In JSON text from other sources a raw line break can only be between tokens.
  return `SELECT replace(row_to_json(line)::text, E'\n', ' ') AS line
    FROM (SELECT ${fields.join(', ')} FROM ${part.from}) AS line`;
}

const isoTime = (value: string) => `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The rows of a query about an export, a page at a time. */
async function* pages<R extends object>(rows: Rows, name: string, query: string, selection: Selection) {
  const cursor = `export_${name}`;
  // PostgreSQL takes no more values than a statement names.
  const values = query.includes('$2') ? [selection.serverId, selection.directMessages] : [selection.serverId];
  await rows(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`, values);
  for (;;) {
    const page = await rows<R>(`FETCH ${pageSize} FROM ${cursor}`);
    if (page.length > 0) yield page;
    if (page.length < pageSize) break;
  }
  await rows(`CLOSE ${cursor}`);
}

/** Writes rows of a part, by column name. */
export async function insertRecords(rows: Rows, part: Part, records: Record<string, unknown>[]): Promise<void> {
  const elsewhere = new Set(part.elsewhere.map(columnOf));
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))].filter((name) => !elsewhere.has(name));
  const json = JSON.stringify(records);
  await rows(
    `INSERT INTO ${part.table} (${columns.join(', ')})
     SELECT ${columns.join(', ')} FROM json_populate_recordset(NULL::${part.table}, $1::json)
     ${part.mergesRepeats ? 'ON CONFLICT DO NOTHING' : ''}`,
    [json],
  );
  if (part.also) await rows(part.also, [json]);
}

import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Database, Rows } from '../../database/database.ts';
import { DatabaseBlobStore } from '../../features/blobs/blob.store.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { version } from '../../infrastructure/version.ts';
import { type ZipEntry, zipBytes } from '../../infrastructure/zip-writer.ts';
import { TransferError } from './failure.ts';
import { blobFolder, type Manifest, manifestEntry } from './manifest.ts';
import { columnOf, fileOf, formatName, formatVersion, isTime, type Part } from './part.ts';
import { parts } from './parts.ts';
import { contents } from './selections.ts';

/** Rows read at once: small enough for the largest of them to fit in memory. */
const pageSize = 200;

export interface ExportOptions {
  /** Whether to include e-mail addresses; without them no user can claim an account by mail. */
  emails: boolean;
}

/**
 * Streams a whole server to a ZIP file, as a snapshot, in small pieces (docs/export-format.md). The file appears when
 * it is complete, and only the operator can read it.
 * @param name id or slug
 * @throws TransferError when the server does not exist, or the file already does
 */
export async function exportServer(
  database: Database,
  name: string,
  file: string,
  options: ExportOptions,
): Promise<Manifest> {
  if (existsSync(file)) throw new TransferError(`${file} is there already; give another name with --out.`);
  const unfinished = `${file}.part`;
  const manifest = await database.longTransaction((rows) => writeFile(rows, name, unfinished, options), {
    snapshot: true,
  });
  await rename(unfinished, file);
  return manifest;
}

/** The id and the name of a server. @throws TransferError */
export async function findServer(rows: Rows, name: string): Promise<Manifest['server']> {
  const [server] = await rows<Manifest['server']>('SELECT id, name FROM servers WHERE id::text = $1 OR slug = $1', [
    name.toLowerCase(),
  ]);
  if (!server) throw new TransferError(`There is no server "${name}".`);
  return server;
}

async function writeFile(rows: Rows, name: string, path: string, options: ExportOptions): Promise<Manifest> {
  const server = await findServer(rows, name);
  const output = await create(path);
  const manifest: Manifest = {
    format: formatName,
    version: formatVersion,
    parley: version,
    exportedAt: dateNow().toISOString(),
    server,
    counts: {},
  };
  try {
    await pipeline(zipBytes(entries(rows, manifest, options)), output);
    return manifest;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Everything in the file, each to be read before the next. The manifest, with the counts, is the last. */
async function* entries(rows: Rows, manifest: Manifest, options: ExportOptions): AsyncGenerator<ZipEntry> {
  const { server, counts } = manifest;
  const file = { time: new Date(manifest.exportedAt), mode: 0o100600 };
  for (const part of parts) {
    const lines = (count: number) => {
      counts[fileOf(part)] = count;
    };
    yield { ...file, path: fileOf(part), content: partLines(rows, part, server.id, options, lines), level: 6 };
  }
  const store = new DatabaseBlobStore({ rows, committedRows: rows });
  counts.blobs = 0;
  for await (const page of pages<{ id: string; hash: string }>(rows, 'contents', contents, server.id)) {
    for (const { id, hash } of page) {
      // Most uploads are compressed already.
      yield { ...file, path: `${blobFolder}${hash}`, content: store.read(id), level: 1 };
      counts.blobs++;
    }
  }
  yield { ...file, path: manifestEntry, content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), level: 6 };
}

async function create(path: string): Promise<NodeJS.WritableStream> {
  const output = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await once(output, 'open');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    const reason = code === 'EEXIST' ? 'it is there already; is another export writing it' : code;
    throw new TransferError(`${path} cannot be written: ${reason}.`);
  }
  return output;
}

/** @param counted gets the number of lines */
async function* partLines(
  rows: Rows,
  part: Part,
  serverId: string,
  options: ExportOptions,
  counted: (count: number) => void,
): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const page of pages<{ line: string }>(rows, part.table, linesOf(part, options), serverId)) {
    count += page.length;
    yield Buffer.from(page.map(({ line }) => `${line}\n`).join(''));
  }
  counted(count);
}

/** PostgreSQL makes the lines: rows as objects would create enough garbage here to grow the process. */
function linesOf(part: Part, { emails }: ExportOptions): string {
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

/** The rows of a query about a server, a page at a time. */
async function* pages<R extends object>(rows: Rows, name: string, query: string, serverId: string) {
  const cursor = `export_${name}`;
  await rows(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`, [serverId]);
  for (;;) {
    const page = await rows<R>(`FETCH ${pageSize} FROM ${cursor}`);
    if (page.length > 0) yield page;
    if (page.length < pageSize) break;
  }
  await rows(`CLOSE ${cursor}`);
}

import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Database, Rows } from '../../database/database.ts';
import type { BlobStore } from '../../features/blobs/blob.store.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { version } from '../../infrastructure/version.ts';
import { type ZipEntry, zipBytes } from '../../infrastructure/zip-writer.ts';
import { TransferError } from './failure.ts';
import { blobFolder, type Manifest, manifestEntry } from './manifest.ts';
import { contentsOf, linesOf, type Selection, serverNamed } from './part.table.ts';
import { fileOf, formatName, formatVersion, type Part } from './part.ts';
import { parts } from './parts.ts';

export interface ExportOptions extends Omit<Selection, 'serverId'> {
  /** The files, with what is known of them read in a transaction. */
  blobsOver(rows: Rows): Pick<BlobStore, 'read'>;
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
  const server = await serverNamed(rows, name.toLowerCase());
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
  const selection = { ...options, serverId: server.id };
  const file = { time: new Date(manifest.exportedAt), mode: 0o100600 };
  for (const part of parts) {
    const lines = (count: number) => {
      counts[fileOf(part)] = count;
    };
    yield { ...file, path: fileOf(part), content: partLines(rows, part, selection, lines), level: 6 };
  }
  const store = options.blobsOver(rows);
  counts.blobs = 0;
  for await (const page of contentsOf(rows, selection)) {
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
  selection: Selection,
  counted: (count: number) => void,
): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const page of linesOf(rows, part, selection)) {
    count += page.length;
    yield Buffer.from(page.map(({ line }) => `${line}\n`).join(''));
  }
  counted(count);
}

import { readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError } from '../failure.ts';

const mebibyte = 1024 ** 2;

/** The write-ahead log of the copy, which is beside its tables while these are written. */
const logBytes = 1024 * mebibyte;

/**
 * Whether a second copy of a cluster fits beside it. Rows and indexes that are written anew are no larger than the old
 * ones.
 * @throws EmbeddedPostgresError saying how much is missing
 */
export async function requireSpace(folder: string): Promise<void> {
  const needed = (await sizeOf(folder)) + logBytes;
  const { bavail, bsize } = await statfs(path.dirname(folder));
  const free = bavail * bsize;
  if (free >= needed) return;
  const [want, have] = [needed, free].map((bytes) => Math.ceil(bytes / mebibyte));
  throw new EmbeddedPostgresError(
    `The data in ${folder} has to be copied for the new major version, which needs ${want} MiB; ${have} MiB are free. Make room and start again. Nothing was changed.`,
  );
}

/** The bytes of a folder's files on the disk. Files may go while it is read. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(at);
    else bytes += (await stat(at).catch(() => ({ blocks: 0 }))).blocks * 512;
  }
  return bytes;
}

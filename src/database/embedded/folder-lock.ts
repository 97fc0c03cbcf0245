import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../settings/make-folder.ts';
import { EmbeddedPostgresError } from './failure.ts';
import { startOf } from './processes.ts';

const holderSchema = z.object({ pid: z.number().int().positive(), started: z.string() });

/**
 * Takes the data folder, which is made when missing, for this process.
 *
 * The lock names the process and when it was started, so a lock left by a crash blocks nobody, even when the
 * pid has been given to another process.
 * @returns releases the folder
 * @throws EmbeddedPostgresError when a living process has it, or it cannot be written
 */
export function lockFolder(folder: string): () => void {
  const file = path.join(folder, 'postgres.lock');
  const own = writeOwn(folder, file);
  try {
    while (!tryLink(own, file)) removeStale(file, folder);
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(file, { force: true });
}

function writeOwn(folder: string, file: string): string {
  const own = `${file}.${randomUUID()}`;
  const holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
  try {
    makeFolder(folder);
    writeFileSync(own, JSON.stringify(holder), { mode: 0o644 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddedPostgresError(`The data folder ${folder} cannot be written: ${reason}.`, { cause });
  }
  return own;
}

/** A link appears with its content, so nobody ever reads a half-written lock. */
function tryLink(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function removeStale(file: string, folder: string): void {
  const found = read(file);
  if (found === undefined) return;
  refuseHeld(found, folder);
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return; // Someone else removed it first.
    throw new EmbeddedPostgresError(`The lock ${file} of a process that has ended cannot be removed.`, { cause });
  }
  // Between our check and our rename, another process may have removed the stale lock and taken its own.
  if (read(aside) !== found) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function refuseHeld(text: string, folder: string): void {
  const holder = holderSchema.safeParse(parseJson(text));
  if (!holder.success || startOf(holder.data.pid) !== holder.data.started) return;
  throw new EmbeddedPostgresError(
    `The data folder ${folder} is in use by process ${holder.data.pid}; stop that process first, or choose another DATA_DIR.`,
  );
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw new EmbeddedPostgresError(`The lock ${file} cannot be read; see who owns it.`, { cause });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

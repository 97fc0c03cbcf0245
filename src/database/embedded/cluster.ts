import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { realpath, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeDraft, syncFolder } from './draft.ts';
import { EmbeddedPostgresError } from './failure.ts';
import { finishSwap } from './major/swap.ts';
import { givePasswords, openPasswords, type Passwords } from './passwords.ts';
import { findPrograms, type Programs } from './programs.ts';
import { chooseRunner, type Runner } from './runner.ts';

const run = promisify(execFile);

/** The files of one PostgreSQL, and the means to run it. */
export interface Cluster {
  folder: string;
  passwords: Passwords;
  programs: Programs;
  runner: Runner;
}

/**
 * The cluster in `<dataDir>/postgres`, created if missing. Its data may be of an earlier major version than the
 * programs.
 * @param named the folder of the operator's own programs
 */
export async function openCluster(dataDir: string, named?: string | null): Promise<Cluster> {
  const parent = await realpath(dataDir);
  const folder = path.join(parent, 'postgres');
  const programs = findPrograms(named);
  await finishSwap(folder);
  const runner = await chooseRunner(programs.postgres, parent, folder);
  const exists = existsSync(folder);
  const passwords = await openPasswords(parent, exists);
  const cluster = { folder, programs, runner, passwords };
  if (exists) await takeOver(cluster);
  else await createCluster(cluster);
  return cluster;
}

/** The major version that a cluster's data is of. */
export function majorOf(folder: string): number {
  return Number(readFileSync(path.join(folder, 'PG_VERSION'), 'utf8').trim());
}

async function createCluster(cluster: Cluster): Promise<void> {
  const draft = await makeDraft(cluster);
  await rename(draft, cluster.folder);
  await syncFolder(path.dirname(cluster.folder));
}

/** Data that root copied or restored belongs to root; PostgreSQL only accepts data of its own user. */
async function takeOver({ folder, runner: { owner } }: Cluster): Promise<void> {
  if (owner) await givePasswords(path.dirname(folder), owner);
  const { uid } = await stat(folder);
  if (uid === (owner?.uid ?? process.getuid?.())) return;
  if (!owner) {
    throw new EmbeddedPostgresError(
      `The folder ${folder} belongs to user ${uid}; start as that user or as root, or change its owner.`,
    );
  }
  await run('chown', ['-R', `${owner.uid}:${owner.gid}`, folder]);
}

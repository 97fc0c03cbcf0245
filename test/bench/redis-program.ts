import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/parley');
const unpacked = path.join(cache, 'redis');

/** How to run redis-server on this machine. */
export interface RedisProgram {
  command: string;
  env: NodeJS.ProcessEnv;
}

/**
 * The redis-server of the PATH, else one from Debian's packages. Those are unpacked into a cache folder rather than
 * installed: that needs no root, and starts no service on port 6379.
 */
export async function findRedis(): Promise<RedisProgram> {
  const installed = { command: 'redis-server', env: process.env };
  if (await works(installed)) return installed;
  const known = cachedProgram();
  if (known && (await works(known))) return known;
  let reason = '';
  try {
    await unpackRedis();
  } catch (error) {
    reason = ` (${error instanceof Error ? error.message.trim().split('\n').at(-1) : error})`;
  }
  const program = cachedProgram();
  if (program && (await works(program))) return program;
  throw new Error(`The tests need redis-server, and it could not be fetched with apt-get${reason}; install it first.`);
}

async function works({ command, env }: RedisProgram): Promise<boolean> {
  return run(command, ['--version'], { env }).then(
    () => true,
    () => false,
  );
}

function cachedProgram(): RedisProgram | undefined {
  const command = path.join(unpacked, 'usr/bin/redis-server');
  if (!existsSync(command)) return undefined;
  const libraries = [path.join(unpacked, 'usr/lib'), path.join(unpacked, 'lib')].filter((folder) => existsSync(folder));
  // Debian keeps libraries in a folder named after the architecture.
  const folders = libraries.flatMap((folder) => [folder, ...subfolders(folder)]);
  return { command, env: { ...process.env, LD_LIBRARY_PATH: folders.join(':') } };
}

function subfolders(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(folder, entry.name));
}

async function unpackRedis(): Promise<void> {
  const work = path.join(cache, `redis-${process.pid}`);
  const target = path.join(work, 'root');
  for (const folder of ['archives/partial', 'lists/partial', 'root'])
    mkdirSync(path.join(work, folder), { recursive: true });
  try {
    await download(work);
    const archives = path.join(work, 'archives');
    for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', path.join(archives, name), target]);
    }
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(target, unpacked);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Fetches redis-server and what it needs that the machine does not have. */
async function download(work: string): Promise<void> {
  const ours = [
    '-o',
    'Debug::NoLocking=true',
    '-o',
    `Dir::Cache=${work}`,
    '-o',
    `Dir::Cache::archives=${work}/archives`,
  ];
  const install = ['install', '--download-only', '--no-install-recommends', '-y', 'redis-server'];
  try {
    await run('apt-get', [...ours, ...install]);
  } catch {
    // The machine's package lists are missing or old; ours are fetched next to the packages.
    const lists = [...ours, '-o', `Dir::State::lists=${work}/lists`];
    await run('apt-get', [...lists, 'update']);
    await run('apt-get', [...lists, ...install]);
  }
}

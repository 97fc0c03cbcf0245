import { type ChildProcess, spawn } from 'node:child_process';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { EmbeddedPostgresError } from '../failure.ts';
import { formerSuperuser, name, open, retired, superuser } from '../roles.ts';
import { complaintOf } from '../runner.ts';
import type { DumpTools } from './old-programs.ts';

/** Superusers' URLs of two servers: the one that is left, and the new one, which has our roles and our empty database. */
export interface Route {
  from: URL;
  to: URL;
  tools: DumpTools;
}

/** Our own roles are made by us; everything else about them would be of an earlier version. */
const ourRoles = [name, superuser, retired, formerSuperuser];

/**
 * Copies all databases, and the roles that an operator has added, by dump and restore.
 * @throws EmbeddedPostgresError when a row or a table is not there afterwards
 */
export async function transferAll(route: Route): Promise<void> {
  await copyRoles(route);
  for (const { database, owner } of await databasesOf(route.from)) {
    await ensureEmpty(route.to, database, owner);
    await copyDatabase(route, database);
    await settleOwners(route.to, database);
    await compare(route, database);
  }
  // All of it is on the disk then, however the server ends.
  await run(route.to, 'postgres', [`DROP ROLE ${retired}`, 'CHECKPOINT']);
}

async function copyRoles({ from, to, tools }: Route): Promise<void> {
  const ours = new RegExp(`^(CREATE|ALTER) ROLE "?(${ourRoles.join('|')})"?[ ;]`);
  const child = spawn(tools.dumpAll, ['--roles-only', '--no-password', ...whereIs(from)], settingsFor(from, 'pipe'));
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await succeed(child, 'pg_dumpall');
  const statements = text
    .split('\n')
    .filter((line) => /^(CREATE|ALTER) ROLE |^GRANT /.test(line) && !ours.test(line))
    .map((line) => line.replace(/ GRANTED BY [^;]+;$/, ';'));
  // Things may belong to the superuser of an earlier version; the name is needed until they are given to our role.
  await run(to, 'postgres', [`CREATE ROLE ${retired} NOLOGIN`, ...statements]);
}

async function databasesOf(from: URL): Promise<{ database: string; owner: string }[]> {
  const client = await open(at(from, 'postgres'));
  try {
    const { rows } = await client.query<{ database: string; owner: string }>(
      `SELECT datname AS database, pg_get_userbyid(datdba) AS owner FROM pg_database
       WHERE NOT datistemplate AND datallowconn ORDER BY datname`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

async function ensureEmpty(to: URL, database: string, owner: string): Promise<void> {
  const client = await open(at(to, 'postgres'));
  try {
    const known = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (known.rowCount) return;
    const [quoted, role] = [database, ourRoles.includes(owner) ? name : owner].map((text) => pg.escapeIdentifier(text));
    await client.query(`CREATE DATABASE ${quoted} OWNER ${role}`);
  } finally {
    await client.end();
  }
}

/** Straight from one server into the other: a file of the dump would need as much room again. */
async function copyDatabase({ from, to, tools }: Route, database: string): Promise<void> {
  const args = ['--no-password', '--no-tablespaces', ...whereIs(from, database)];
  const dump = spawn(tools.dump, args, settingsFor(from, 'pipe'));
  const strict = ['--no-psqlrc', '--quiet', '--single-transaction', '--set=ON_ERROR_STOP=1'];
  const load = spawn(tools.psql, ['--no-password', ...strict, ...whereIs(to, database)], settingsFor(to, 'ignore'));
  const both = [succeed(dump, 'pg_dump'), succeed(load, 'psql')];
  if (dump.stdout && load.stdin) {
    // Which of the two ended too early, and why, they say themselves.
    await pipeline(dump.stdout, load.stdin).catch(() => {});
  }
  // The reader's complaint tells more than that of the writer, whom it then fails.
  const [, loaded] = await Promise.allSettled(both);
  if (loaded?.status === 'rejected') throw loaded.reason;
  await Promise.all(both);
}

async function settleOwners(to: URL, database: string): Promise<void> {
  const former = [formerSuperuser, retired].join(', ');
  await run(to, database, [`REASSIGN OWNED BY ${former} TO ${name}`, `DROP OWNED BY ${retired}`, 'ANALYZE']);
}

/** Both servers must have the same tables with as many rows each. */
async function compare({ from, to }: Route, database: string): Promise<void> {
  const [before, after] = [await countsOf(from, database), await countsOf(to, database)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const wrong = names.find((table) => before.get(table) !== after.get(table));
  if (wrong === undefined) return;
  throw new EmbeddedPostgresError(
    `The table ${wrong} has ${before.get(wrong) ?? 'no'} rows in the old data and ${after.get(wrong) ?? 'none'} in the copy; the old data is unchanged.`,
  );
}

async function countsOf(url: URL, database: string): Promise<Map<string, string>> {
  const client = await open(at(url, database));
  try {
    const tables = await client.query<{ table: string }>(
      `SELECT format('%I.%I', nspname, relname) AS table FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid
       WHERE relkind = 'r' AND nspname !~ '^pg_' AND nspname <> 'information_schema'`,
    );
    const counts = new Map<string, string>();
    for (const { table } of tables.rows) {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
      counts.set(table, rows[0]?.count ?? '');
    }
    return counts;
  } finally {
    await client.end();
  }
}

async function run(url: URL, database: string, statements: string[]): Promise<void> {
  const client = await open(at(url, database));
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function at(url: URL, database: string): string {
  const there = new URL(url);
  there.pathname = `/${encodeURIComponent(database)}`;
  return there.href;
}

function whereIs(url: URL, database?: string): string[] {
  const where = [`--host=${url.hostname}`, `--port=${url.port}`, `--username=${url.username}`];
  // As a connection string, since a name could look like one.
  return database === undefined ? where : [...where, `--dbname=dbname='${database.replaceAll(/[\\']/g, '\\$&')}'`];
}

/** The password goes by the environment, which only this user and root can read; PG* variables of the operator do not. */
function settingsFor(url: URL, output: 'pipe' | 'ignore') {
  const { PATH, LD_LIBRARY_PATH } = process.env;
  const env = { PATH, LD_LIBRARY_PATH, LC_ALL: 'C', PGPASSWORD: url.password, PGCLIENTENCODING: 'UTF8' };
  return { cwd: '/', env, stdio: ['pipe' as const, output, 'pipe' as const] };
}

async function succeed(child: ChildProcess, program: string): Promise<void> {
  const complaint = await complaintOf(child);
  if (complaint === undefined) return;
  throw new EmbeddedPostgresError(
    `The data could not be copied into the new major version: ${program}: ${complaint.slice(0, 2000)}. The old data is unchanged.`,
  );
}

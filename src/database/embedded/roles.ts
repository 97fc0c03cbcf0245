import pg from 'pg';
import { databaseCode } from '../failures.ts';
import { EmbeddedPostgresError } from './failure.ts';
import type { Passwords } from './passwords.ts';

/** Of the database, and of the role that owns it. */
export const name = 'parley';

/** The superuser. Nodes never connect as this role; only the start of PostgreSQL does. */
export const superuser = 'parley_superuser';

/** What the superuser of a cluster of an earlier version is renamed to. It can no longer log in. */
export const retired = 'parley_bootstrap';

/**
 * The superuser's name in earlier versions. The role of this name has no rights since: nodes of such versions, say after
 * a return to one, look with it whether their database is there.
 */
export const formerSuperuser = 'postgres';

export const embeddedUrl = (port: number, password: string): string =>
  `postgres://${name}:${password}@127.0.0.1:${port}/${name}`;

export const superuserUrl = (port: number, password: string, database = 'postgres'): string =>
  `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`;

/**
 * Creates our roles and our database if missing. The role that nodes use is no superuser, and shares no password with
 * one: an SQL injection must not open the files of the machine. A cluster of an earlier version, whose superuser had the
 * nodes' password, is changed in one transaction.
 * @returns the URL for that role and database
 */
export async function ensureDatabase(port: number, passwords: Passwords): Promise<string> {
  const client = await open(superuserUrl(port, passwords.superuser)).catch((error: unknown) => {
    throw unopened(error);
  });
  try {
    await client.query('BEGIN');
    await ensureRoles(client, passwords);
    await client.query('COMMIT');
    const databases = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (!databases.rowCount) await client.query(`CREATE DATABASE ${name} OWNER ${name}`);
  } finally {
    await client.end();
  }
  return embeddedUrl(port, passwords.application);
}

async function ensureRoles(client: pg.Client, { application }: Passwords): Promise<void> {
  const password = pg.escapeLiteral(application);
  const { rows } = await client.query<{ rolname: string; mighty: boolean }>(
    `SELECT rolname, rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls AS mighty
     FROM pg_roles WHERE rolname = ANY($1)`,
    [[name, formerSuperuser]],
  );
  const isMighty = new Map(rows.map((row) => [row.rolname, row.mighty]));
  if (!isMighty.has(name)) await client.query(`CREATE ROLE ${name} LOGIN CREATEDB PASSWORD ${password}`);
  if (isMighty.get(name)) {
    await client.query(`ALTER ROLE ${name} NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS`);
  }
  if (isMighty.get(formerSuperuser)) {
    await client.query(`ALTER ROLE ${formerSuperuser} RENAME TO ${retired}`);
    await client.query(`ALTER ROLE ${retired} NOLOGIN PASSWORD NULL`);
  }
  if (isMighty.get(formerSuperuser) !== false) {
    await client.query(`CREATE ROLE ${formerSuperuser} LOGIN PASSWORD ${password}`);
  }
}

/** A connection that outlives being cut: that already rejects its query, and the event would also end the process. */
export async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The code of a wrong password, and of a role that is not there. */
const wrongPassword = '28P01';

function unopened(cause: unknown): EmbeddedPostgresError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice =
    databaseCode(cause) === wrongPassword
      ? '; postgres-superuser-password in the data folder is of another cluster: delete it and start again, a new one is made then'
      : '';
  return new EmbeddedPostgresError(`The embedded PostgreSQL cannot be opened: ${reason}${advice}.`, { cause });
}

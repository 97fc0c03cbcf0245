import pg from 'pg';
import { EmbeddedPostgresError } from './failure.ts';

/** Of the database, and of the role that owns it. */
const name = 'parley';

export const embeddedUrl = (port: number, password: string): string =>
  `postgres://${name}:${password}@127.0.0.1:${port}/${name}`;

/**
 * Creates our role and our database if missing. The role is no superuser: an SQL injection must not
 * open the files of the machine.
 * @returns the URL for that role and database
 */
export async function ensureDatabase(port: number, password: string): Promise<string> {
  const client = new pg.Client(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
  // A cut connection already rejects its query; the event would also end the process.
  client.on('error', () => {});
  await client.connect().catch((cause: unknown) => {
    throw new EmbeddedPostgresError(`The embedded PostgreSQL cannot be opened: ${messageOf(cause)}.`, { cause });
  });
  try {
    const roles = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
    if (!roles.rowCount) {
      await client.query(`CREATE ROLE ${name} LOGIN CREATEDB PASSWORD ${pg.escapeLiteral(password)}`);
    }
    const databases = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (!databases.rowCount) await client.query(`CREATE DATABASE ${name} OWNER ${name}`);
  } finally {
    await client.end();
  }
  return embeddedUrl(port, password);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

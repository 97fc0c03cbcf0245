import pg from 'pg';
import { EmbeddedPostgresError } from './failure.ts';

/**
 * Makes sure of a role and a database of the same name. The role is no superuser: should anyone ever get SQL past
 * us, it must not open the files of the machine.
 * @returns the URL for that role and database
 */
export async function ensureDatabase(name: string, port: number, password: string): Promise<string> {
  const client = new pg.Client(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
  // A connection that is cut rejects its query; the event would end the process on top of that.
  client.on('error', () => {});
  await client.connect().catch((cause: unknown) => {
    throw new EmbeddedPostgresError(`The embedded PostgreSQL cannot be opened: ${messageOf(cause)}.`, { cause });
  });
  try {
    const identifier = pg.escapeIdentifier(name);
    const roles = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
    if (!roles.rowCount) {
      await client.query(`CREATE ROLE ${identifier} LOGIN CREATEDB PASSWORD ${pg.escapeLiteral(password)}`);
    }
    const databases = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (!databases.rowCount) await client.query(`CREATE DATABASE ${identifier} OWNER ${identifier}`);
  } finally {
    await client.end();
  }
  return `postgres://${name}:${password}@127.0.0.1:${port}/${name}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

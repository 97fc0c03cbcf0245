import pg from 'pg';
import { until } from '../rig/until.ts';
import { type Answer, type Person, type Place, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';

/** Someone asks for the deletion of their account. */
export function leave(person: Person<Place>, body?: object): Promise<Answer> {
  return request(person.node, 'DELETE', '/api/auth/me', body, { authorization: `Bearer ${person.token}` });
}

/** The week is over. */
export async function passWeek(databaseUrl: string, person: Person<Place>): Promise<void> {
  await query(
    databaseUrl,
    "UPDATE users SET deletes_at = now() - interval '1 second' WHERE id = $1 AND deletes_at IS NOT NULL",
    [person.id],
  );
  await query(databaseUrl, "UPDATE jobs SET due_at = now() WHERE kind = 'account-deletion' AND key = $1", [person.id]);
}

/** Whether something of the deletion is left to do. @throws Error when a step has failed */
export async function isLeaving(databaseUrl: string, { id }: Person<Place>): Promise<boolean> {
  const left = await query<{ data: object; error: string | null }>(
    databaseUrl,
    "SELECT data, error FROM jobs WHERE kind = 'account-deletion' AND key = $1",
    [id],
  );
  const failed = left.find(({ error }) => error !== null);
  if (failed) throw new Error(`A step failed: ${JSON.stringify(failed)}`);
  return left.length > 0;
}

/** Deletes an account for good. */
export async function finish(databaseUrl: string, person: Person<Place>): Promise<void> {
  await passWeek(databaseUrl, person);
  await until(async () => !(await isLeaving(databaseUrl, person)), { timeout: 60_000, message: 'it is not deleted' });
}

/** Where a text is found in the database: all columns of all tables, as `table: row`. */
export function placesOf(databaseUrl: string, text: string): Promise<string[]> {
  return withRows(databaseUrl, async (rows) => {
    const tables = await rows<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
         AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(table_name)) ORDER BY 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const table = pg.escapeIdentifier(name);
      const hits = await rows<{ row: string }>(
        `SELECT row FROM (SELECT row_to_json(t)::text AS row FROM ${table} t) AS all_rows WHERE row ILIKE $1`,
        [`%${text}%`],
      );
      found.push(...hits.map(({ row }) => `${name}: ${row}`));
    }
    return found;
  });
}

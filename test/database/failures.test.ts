import { expect } from 'chai';
import pg from 'pg';
import { asDatabaseError, isUniqueViolation } from '../../src/database/failures.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { migrated } from '../world/nodes.ts';

/** What PostgreSQL says, as one of another `lc_messages` would. */
async function refusal(client: pg.Client, statement: string): Promise<Error> {
  const error = await client.query(statement).then(
    () => undefined,
    (reason) => reason,
  );
  if (!(error instanceof pg.DatabaseError)) throw new Error('PostgreSQL did not refuse it.');
  error.message = 'Das geht nicht.';
  return error;
}

describe('what PostgreSQL refuses, in whatever language', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createDatabase(migrated);
    client = new pg.Client(database.url);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  it('is the 404 of what something was to belong to', async () => {
    const error = await refusal(
      client,
      `INSERT INTO workspaces (id, server_id, name, created_at, updated_at)
       VALUES (gen_random_uuid(), gen_random_uuid(), 'new', now(), now())`,
    );
    expect(asDatabaseError(error)).to.include({ code: 'SERVER_NOT_FOUND' });
  });

  it('is known by the name of its rule', async () => {
    await client.query('CREATE TABLE things (name text CONSTRAINT things_name_unique UNIQUE)');
    await client.query("INSERT INTO things VALUES ('a')");
    const error = await refusal(client, "INSERT INTO things VALUES ('a')");
    expect(isUniqueViolation(error, 'things_name_unique')).to.equal(true);
    expect(isUniqueViolation(new Error('wrapped', { cause: error }), 'things_name_unique')).to.equal(true);
    expect(isUniqueViolation(error, 'things_name')).to.equal(false);
  });
});

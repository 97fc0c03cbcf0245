// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import { asDatabaseError, isUniqueViolation } from '../../src/database/failures.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { type Cluster, migrated, startCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { world } from '../world/world.ts';

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

  it('is PostgreSQL being away where a right was taken away, or a table is gone while a backup is restored', async () => {
    await client.query('CREATE TABLE held (name text)');
    await client.query('REVOKE ALL ON held FROM CURRENT_USER');
    for (const statement of ["INSERT INTO held VALUES ('a')", "INSERT INTO gone VALUES ('a')"]) {
      expect(asDatabaseError(await refusal(client, statement))).to.include({ code: 'DATABASE_UNAVAILABLE' });
    }
  });
});

describe('a table that is gone while a backup is restored', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.stop());

  it('keeps nobody from sending once it is back, and nothing is said twice', async () => {
    const { alice, bob, channel, close } = await world(cluster);
    const ear = await bob.listen(channel.id);
    const mouth = await alice.listen();
    const send = (nonce: string) =>
      mouth.emit('message:send', { channelId: channel.id, content: `word ${nonce}`, nonce });
    expect((await send('before')).ok).to.equal(true);
    for (const [table, other] of [
      ['messages', 'messages_before'],
      ['log_entries', 'log_entries_before'],
    ]) {
      await query(cluster.databaseUrl, `ALTER TABLE ${table} RENAME TO ${other}`);
      const { status } = await alice.post(`/api/channels/${channel.id}/messages`, {
        content: 'word',
        nonce: `${table}`,
      });
      expect([status, (await send(`${other}`)).code]).to.deep.equal([503, 'DATABASE_UNAVAILABLE']);
      await query(cluster.databaseUrl, `ALTER TABLE ${other} RENAME TO ${table}`);
      expect((await send(`${other}`)).ok).to.equal(true);
      await ear.next('message:new', (message) => message.content === `word ${other}`);
    }
    expect(ear.all('message:new')).to.have.length(3);
    close();
  });
});

// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { advisoryLocks } from '../../src/database/advisory-locks.ts';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { type Cluster, migrated, startCluster, testSettings } from '../world/nodes.ts';
import { query, withRows } from '../world/sql.ts';
import { world } from '../world/world.ts';

const log = createLog('silent');

/** What an operator sets for a database, or for a role, applies to all connections that do not set something else. */
async function set(url: string, settings: Record<string, string>): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of Object.entries(settings)) {
    await query(url, `ALTER DATABASE ${name} SET ${setting} = ${value}`);
  }
}

describe('a database for which an operator has set', () => {
  let place: TestDatabase;
  afterEach(() => place.drop());

  it('other forms of times and lists, and another isolation, takes and gives everything as any other', async () => {
    place = await createDatabase(migrated);
    await set(place.url, { datestyle: "'German'", array_nulls: 'off', default_transaction_isolation: 'serializable' });
    const cluster: Cluster = await startCluster({ databaseUrl: place.url });
    try {
      const { alice, bob, channel, close } = await world(cluster);
      const first = await alice.say(channel.id, `Do you hear me, @${bob.username}?`);
      await bob.say(channel.id, 'I do.', { replyToId: first.id });
      // All at once: under another isolation these would be in each other's way.
      await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? alice : bob).say(channel.id, `word ${i}`)));
      const { body } = await alice.get(`/api/channels/${channel.id}/messages`);
      expect(body.messages).to.have.length(32);
      expect(body.messages.at(-1).createdAt).to.equal(first.createdAt);
      close();
    } finally {
      await cluster.stop();
    }
    const database = await Database.connect(place.url, testSettings(place.url, null), log);
    const shown = 'SHOW transaction_isolation';
    const inTransaction = await database.transaction(({ rows }) => rows(shown));
    expect([await database.rows(shown), inTransaction, await database.quickRows(shown)].flat()).to.deep.equal(
      Array(3).fill({ transaction_isolation: 'read committed' }),
    );
    await database.close();
  });

  it('limits of time, is migrated and read as a whole, however long that takes', async () => {
    place = await createDatabase();
    await set(place.url, { statement_timeout: '200', lock_timeout: '200', idle_in_transaction_session_timeout: '200' });
    const migrating = await withRows(place.url, async (rows) => {
      await rows('SELECT pg_advisory_lock($1)', [advisoryLocks.migrating]);
      const running = migrate(place.url, log);
      await Promise.race([running, delay(500)]);
      return { running };
    });
    expect(await migrating.running).not.to.deep.equal([]);
    const database = await Database.connect(place.url, testSettings(place.url, null), log);
    for (const snapshot of [true, false]) {
      await database.longTransaction(
        async (rows) => {
          await rows('SELECT pg_sleep(0.4)');
          await delay(400);
          await rows('SELECT 1');
        },
        { snapshot },
      );
    }
    await database.close();
  });
});

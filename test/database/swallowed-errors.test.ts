// nodes: own

import { expect } from 'chai';
import pino from 'pino';
import { Database, type Rows } from '../../src/database/database.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { testSettings } from '../world/nodes.ts';

describe('a transaction in which nobody looked at a statement that failed', () => {
  let place: TestDatabase;
  let database: Database;
  before(async () => {
    place = await createDatabase();
    database = await Database.connect(place.url, testSettings(place.url, null), pino({ level: 'silent' }));
    await database.rows('CREATE TABLE things (name text PRIMARY KEY)');
  });
  after(async () => {
    await database.close();
    await place.drop();
  });

  const careless = async (rows: Rows) => {
    await rows("INSERT INTO things VALUES ('kept')");
    await rows("INSERT INTO things VALUES ('kept')").catch(() => {});
    return 'done';
  };

  const ways: Record<string, () => Promise<string>> = {
    'an ordinary one': () => database.transaction(({ rows }) => careless(rows)),
    'a quick one': () => database.quickTransaction(careless),
    'a long one': () => database.longTransaction(careless, { snapshot: false }),
  };
  for (const [name, way] of Object.entries(ways)) {
    it(`is no success, since PostgreSQL rolled it back: ${name}`, async () => {
      const outcome = await way().catch((error) => error);
      expect(outcome).to.be.instanceOf(Error);
      expect(String(outcome.cause ?? outcome)).to.include('rolled back');
      expect(await database.rows('SELECT * FROM things')).to.deep.equal([]);
    });
  }
});

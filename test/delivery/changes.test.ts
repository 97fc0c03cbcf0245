// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import pino from 'pino';
import { SoloBus } from '../../src/cluster/bus.ts';
import { Operations } from '../../src/cluster/operations.ts';
import { Database } from '../../src/database/database.ts';
import { Changes } from '../../src/delivery/changes.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { testSettings } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('a change', () => {
  let place: TestDatabase;
  let database: Database;
  let delivery: Delivery;
  let changes: Changes;
  const lines: string[] = [];
  before(async () => {
    place = await createDatabase();
    const settings = testSettings(place.url, null);
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    database = await Database.connect(place.url, settings, log);
    await database.rows('CREATE TABLE notes (text text)');
    delivery = new Delivery(database, new SoloBus(), settings.delivery, log);
    changes = new Changes(database, delivery, log, new Operations());
  });
  after(async () => {
    delivery.close();
    await database.close();
    await place.drop();
  });

  it('that is committed is no error, whatever fails of what follows it, and the rest follows all the same', async () => {
    const done: string[] = [];
    const result = await changes.run(async (change) => {
      await change.rows("INSERT INTO notes VALUES ('kept')");
      change.afterCommit(() => void done.push('first'));
      change.afterCommit(() => {
        throw new Error('thrown');
      });
      change.afterCommit(() => Promise.reject(new Error('rejected')));
      change.afterCommit(() => void done.push('last'));
      return 'made';
    });
    expect(result).to.equal('made');
    expect(done).to.deep.equal(['first', 'last']);
    expect(await database.rows('SELECT text FROM notes')).to.deep.equal([{ text: 'kept' }]);
    expect(lines.join()).to.contain('thrown').and.contain('rejected');
  });

  it('whose connection breaks before the commit is made on another one, once', async () => {
    const done: number[] = [];
    let tries = 0;
    const result = await changes.run(async (change) => {
      const mine = ++tries;
      change.afterCommit(() => void done.push(mine));
      await change.rows('INSERT INTO notes VALUES ($1)', [`try ${mine}`]);
      const [backend] = await change.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      if (mine < 3) await database.rows('SELECT pg_terminate_backend($1, 5000)', [backend?.pid]);
      await change.rows('SELECT 1');
      return mine;
    });
    expect(result).to.equal(3);
    expect(done).to.deep.equal([3]);
    expect(await database.rows("SELECT text FROM notes WHERE text LIKE 'try%'")).to.deep.equal([{ text: 'try 3' }]);
  });

  it('whose connection breaks while it is committed is not made again: nobody knows whether it was', async () => {
    await database.rows(`CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'`);
    await database.rows('CREATE TABLE fragile (text text)');
    await database.rows(`CREATE CONSTRAINT TRIGGER break_off AFTER INSERT ON fragile DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION break_off()`);
    let tries = 0;
    const failing = changes.run(async (change) => {
      tries++;
      await change.rows("INSERT INTO fragile VALUES ('kept?')");
    });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'DATABASE_UNAVAILABLE');
    expect(tries).to.equal(1);
  });

  it('whose connections break again and again is refused after a moment', async () => {
    let tries = 0;
    const failing = changes.run(async (change) => {
      tries++;
      const [backend] = await change.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await database.rows('SELECT pg_terminate_backend($1, 5000)', [backend?.pid]);
      await change.rows('SELECT 1');
    });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'DATABASE_UNAVAILABLE');
    expect(tries).to.be.greaterThan(1);
  });

  it('that fails is followed by nothing', async () => {
    const done: string[] = [];
    const failing = changes.run(async (change) => {
      change.afterCommit(() => void done.push('followed'));
      await change.rows('SELECT nonsense');
    });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error');
    expect(done).to.deep.equal([]);
  });
});

describe('what waits for a lock longer than it may', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('begins anew, and is done once', async () => {
    const { alice, bob, channel } = here;
    const message = await alice.say(channel.id, 'before');
    const client = new pg.Client(here.cluster.databaseUrl);
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM streams WHERE id = $1 FOR UPDATE', [channel.id]);
    const begun = Date.now();
    const waiting = [
      alice.post(`/api/channels/${channel.id}/messages`, { content: 'waited', nonce: 'w' }),
      bob.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' }),
      alice.patch(`/api/messages/${message.id}`, { content: 'after' }),
    ];
    // A change waits 2 s for a lock.
    await delay(2500);
    await client.query('COMMIT');
    await client.end();
    for (const { status, body } of await Promise.all(waiting))
      expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
    expect(Date.now() - begun).to.be.above(2400);
    const { body } = await bob.get(`/api/channels/${channel.id}/messages`);
    const told = body.messages.map((said: Loose) => [said.content, said.reactions.length]);
    expect(told.slice(0, 2)).to.deep.equal([
      ['waited', 0],
      ['after', 1],
    ]);
  });
});

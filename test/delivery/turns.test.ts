// nodes: own

import { expect } from 'chai';
import pino from 'pino';
import { SoloBus } from '../../src/cluster/bus.ts';
import { Operations } from '../../src/cluster/operations.ts';
import { type Draft, type Room, streamId } from '../../src/contract/rooms.ts';
import { Database, type Rows } from '../../src/database/database.ts';
import { type Change, Changes } from '../../src/delivery/changes.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import { createStream } from '../../src/delivery/log.ts';
import { Turn, Turns } from '../../src/delivery/turns.ts';
import { newId } from '../../src/infrastructure/ids.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { migrated, testSettings } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('changes of one room', () => {
  let place: TestDatabase;
  let database: Database;
  let delivery: Delivery;
  let changes: Changes;
  before(async () => {
    place = await createDatabase(migrated);
    const settings = testSettings(place.url, null);
    const log = pino({ level: 'silent' });
    // Four of them for transactions. Who waits for a log that is locked starts over after two thirds of the idle time,
    // which a crowd would take on a busy machine.
    const limits = { ...settings.database, poolSize: 8, idleTransactionMs: 60_000 };
    database = await Database.connect(place.url, { ...settings, database: limits }, log);
    await database.rows('CREATE TABLE notes (text text)');
    await database.rows("INSERT INTO notes VALUES ('first')");
    delivery = new Delivery(database, new SoloBus(), settings.delivery, log);
    changes = new Changes(database, delivery, log, new Operations());
  });
  after(async () => {
    delivery.close();
    await database.close();
    await place.drop();
  });

  async function newRoom(): Promise<Room> {
    const room: Room = `channel:${newId()}`;
    await database.transaction(({ rows }) => createStream(rows, room));
    return room;
  }

  const draftIn = (room: Room): Draft => ({ room, event: 'message:updated', threadId: null, data: { id: 'x' } });
  const note = (rows: Rows, text: string) => rows('INSERT INTO notes VALUES ($1)', [text]);
  const notesLike = async (pattern: string) =>
    (await database.rows<{ text: string }>('SELECT text FROM notes WHERE text LIKE $1', [pattern])).map(
      ({ text }) => text,
    );
  const inUse = () => database.pool.totalCount - database.pool.idleCount;

  /**
   * Starts 40 changes in a room whose log another node has locked, and lets go of it when others were made elsewhere.
   * @param change what each does, given its number
   */
  async function crowd(room: Room, change: (change: Change, i: number) => Promise<void>): Promise<void> {
    const elsewhere = await newRoom();
    const all = await withRows(place.url, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [streamId(room)]);
      const crowd = range(40).map((i) => changes.run((each) => change(each, i)));
      await until(() => delivery.counters.waitingChanges === 38);
      expect([inUse(), database.pool.waitingCount]).to.deep.equal([2, 0]);
      for (const i of range(5)) {
        await changes.run(async (change) => {
          await change.lock(elsewhere);
          await note(change.rows, `elsewhere ${streamId(room)} ${i}`);
          change.publish(draftIn(elsewhere));
        });
        expect(inUse()).to.equal(2);
      }
      await rows('COMMIT');
      return crowd;
    });
    await Promise.all(all);
    expect(delivery.counters.waitingChanges).to.equal(0);
    expect(await notesLike(`elsewhere ${streamId(room)} %`)).to.have.lengthOf(5);
  }

  const numbersIn = async (room: Room) =>
    (
      await database.rows<{ seq: number }>('SELECT seq FROM log_entries WHERE stream_id = $1 ORDER BY seq', [
        streamId(room),
      ])
    ).map(({ seq }) => seq);

  it('wait without a connection until they can lock its log, about in the order in which they came', async () => {
    const room = await newRoom();
    const done: number[] = [];
    await crowd(room, async (change, i) => {
      await change.lock(room);
      await note(change.rows, `locked ${i}`);
      change.publish(draftIn(room));
      change.afterCommit(() => void done.push(i));
    });
    expect(done).to.have.members(range(40));
    // Two are there at a time: one that is slow to begin may be overtaken by some. By chance each would be 13 places off.
    const off = done.reduce((sum, i, place) => sum + Math.abs(place - i), 0) / done.length;
    expect(off, `${done}`).to.be.at.most(2);
    expect(await notesLike('locked %')).to.have.members(range(40).map((i) => `locked ${i}`));
    expect(await numbersIn(room)).to.deep.equal(range(40).map((i) => i + 1));
  });

  it('do so too where they come to it last, and are made once', async () => {
    const room = await newRoom();
    const done: number[] = [];
    await crowd(room, async (change, i) => {
      await note(change.rows, `published ${i}`);
      change.publish(draftIn(room));
      change.afterCommit(() => void done.push(i));
    });
    expect(done.sort((a, b) => a - b)).to.deep.equal(range(40));
    expect(await notesLike('published %')).to.have.members(range(40).map((i) => `published ${i}`));
    expect(await numbersIn(room)).to.deep.equal(range(40).map((i) => i + 1));
  });

  it('start over as a whole where one that is part of another comes too early, even if that goes on without it', async () => {
    const room = await newRoom();
    await crowd(room, async (change, i) => {
      await note(change.rows, `outer ${i}`);
      const inner = changes.run(async (part) => {
        await part.lock(room);
        await note(part.rows, `inner ${i}`);
      });
      await inner.catch(() => {});
    });
    expect(await notesLike('outer %')).to.have.lengthOf(40);
    expect(await notesLike('inner %')).to.have.lengthOf(40);
  });

  it('send nothing more once they have to start over', async () => {
    const room = await newRoom();
    let written = 0;
    database.watch((text) => () => void (text.includes('pipelined') && written++));
    await crowd(room, async (change, i) => {
      const statements = [
        change.lock(room),
        change.rows('INSERT INTO notes VALUES ($1) /* pipelined */', [`with ${i}`]),
      ];
      await Promise.all(statements);
    });
    expect(written).to.equal(40);
  });

  it('wait for none that waits for them: for rows first, for several rooms, and where they come to them late', async () => {
    const rooms = [await newRoom(), await newRoom(), await newRoom()];
    const some = (i: number) => rooms.filter((_, at) => at !== i % 3);
    const touch = (rows: Rows) => rows("UPDATE notes SET text = text WHERE text = 'first'");
    const kinds: ((change: Change, i: number) => Promise<void>)[] = [
      async (change, i) => {
        await touch(change.rows);
        for (const room of some(i)) change.publish(draftIn(room));
      },
      async (change, i) => {
        await change.lock(...some(i).toReversed());
        for (const room of some(i)) change.publish(draftIn(room));
      },
      async (change, i) => {
        await touch(change.rows);
        await change.lock(...rooms);
        for (const room of some(i)) change.publish(draftIn(room));
      },
    ];
    const [before] = await database.rows<{ deadlocks: number }>(deadlocks);
    await Promise.all(
      range(90).map((i) => changes.run((change) => kinds[(i % 7) % 3]?.(change, i) ?? Promise.reject())),
    );
    for (const room of rooms) expect(await numbersIn(room)).to.deep.equal(range(60).map((i) => i + 1));
    const [after] = await database.rows<{ deadlocks: number }>(deadlocks);
    expect(after).to.deep.equal(before);
    expect(inUse()).to.equal(0);
  });
});

const deadlocks = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';

describe('a turn at a log', () => {
  const a: Room = 'channel:a';
  const b: Room = 'channel:b';

  it('comes to two at a time, then to the next as one leaves, and is kept while others wait', async () => {
    const turns = new Turns(8);
    const all = range(5).map(() => new Turn(turns));
    const admitted: number[] = [];
    const refused = all.filter((turn) => !turn.take([a]));
    expect(refused).to.deep.equal(all.slice(2));
    const waiting = refused.map((turn) => turn.wait().then(() => admitted.push(all.indexOf(turn))));
    for (const i of range(5)) {
      all[i]?.leave();
      await Promise.resolve().then(() => {});
      await until(() => admitted.length === Math.min(i + 1, 3));
    }
    await Promise.all(waiting);
    expect(admitted).to.deep.equal([2, 3, 4]);
    expect(turns.isFree(a)).to.equal(true);
  });

  it('is never taken past those who wait', async () => {
    const turns = new Turns(2);
    const [first, second, third] = [new Turn(turns), new Turn(turns), new Turn(turns)];
    expect(first.take([a])).to.equal(true);
    expect(second.take([b, a])).to.equal(false);
    // It has none of them before it has all.
    expect(third.take([b])).to.equal(true);
    const waits = second.wait();
    first.leave();
    expect(third.take([a])).to.equal(false);
    third.leave();
    await waits;
    expect(first.take([b])).to.equal(false);
    second.leave();
    expect(first.take([a, b])).to.equal(true);
  });

  it('that does not come in time is SERVER_BUSY, and holds up nobody behind it', async () => {
    const turns = new Turns(2);
    turns.take(a);
    const late = turns.wait(a, 20);
    const next = turns.wait(a, 60_000);
    expect(await late.catch((error) => error)).to.have.property('code', 'SERVER_BUSY');
    turns.leave(a);
    await next;
    turns.leave(a);
    expect(turns.isFree(a)).to.equal(true);
  });
});

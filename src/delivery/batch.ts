import { type LogEntry, sequenced } from '../cluster/entry.ts';
import { AppError } from '../contract/errors.ts';
import { type Room, streamId } from '../contract/rooms.ts';
import { arrayText } from '../database/array-text.ts';
import type { Database, Rows } from '../database/database.ts';
import { isConflict } from '../database/failures.ts';
import { pipelined } from '../database/transaction.ts';
import { appendManySql, appendOneSql, type Columns, lockedStreams, lockOpenStreams, writeEntries } from './log.ts';

/** The table that a writer fills along with the log. */
export interface WriterTable<Row, Result> {
  /** The event that announces a row. */
  event: string;
  /** Whether a row can be written without reading or changing anything else. */
  isPlain(row: Row): boolean;
  /** The columns of a plain row beside its place in the log. */
  columns: Columns<Row>;
  /** For plain rows: `INSERT … SELECT …` up to its FROM, which provides `stream_id`, `seq` and the columns. */
  insertion: string;
  /** The numbers of those of these very rows that are in the table already, by their index in `items`. */
  findWritten(rows: Rows, items: Row[]): Promise<Map<number, number>>;
  /** Results of earlier writes with the same once-keys as these rows, by their index in `items`. */
  findRepeats(rows: Rows, items: Row[]): Promise<Map<number, Result>>;
  /** Locks the rows of other tables that these need: all code locks such before logs. */
  hold(rows: Rows, items: Row[]): Promise<void>;
  insert(rows: Rows, items: { row: Row; seq: number }[]): Promise<void>;
  /** Makes the once-keys of these repeated rows stand for the rows written the first time. */
  remember(rows: Rows, repeated: { row: Row; first: Result }[]): Promise<void>;
}

/** One thing to write: a row and the payload of its event. */
export interface Write<Row, Result> {
  room: Room;
  row: Row;
  /** A key is written only once per room; if several were used before, the first one counts. */
  onceKeys: string[];
  threadId: string | null;
  /** The payload as JSON text, an object without its number: that is added as `seq` and `eventSeq`. */
  json: string;
  /** What the caller gets once the number is known. */
  complete(seq: number): Result;
}

export interface Written<Result> {
  result: Result;
  /** It was written before; nothing was done now. */
  repeated: boolean;
}

/** The head of a log before a batch. */
interface Head {
  id: string;
  last_seq: number;
}

/** The result of a batch; for writes missing in `outcomes` the room no longer exists, or is closed. */
export interface Batch<Row, Result> {
  entries: LogEntry[];
  outcomes: Map<Write<Row, Result>, Written<Result>>;
}

/**
 * Commits writes, in order per room, numbered without gaps. If it throws, none of them was written, unless the error is
 * DATABASE_UNAVAILABLE: then the outcome is unknown. Another run with the same writes finds out, and writes the rest.
 */
export class BatchCommit<Row, Result> {
  private readonly database: Database;
  private readonly table: WriterTable<Row, Result>;
  private readonly insertOne: string;
  private readonly insertMany: string;
  /** Those of attempts with an unknown outcome. */
  private readonly uncertain = new WeakSet<Write<Row, Result>>();

  constructor(database: Database, table: WriterTable<Row, Result>) {
    this.database = database;
    this.table = table;
    this.insertOne = appendOneSql(table.columns, table.insertion);
    this.insertMany = appendManySql(table.columns, table.insertion);
  }

  async run(writes: Write<Row, Result>[]): Promise<Batch<Row, Result>> {
    try {
      return await this.attempt(writes);
    } catch (error) {
      const isUncertain = error instanceof AppError && error.code === 'DATABASE_UNAVAILABLE';
      if (isUncertain) for (const write of writes) this.uncertain.add(write);
      throw error;
    }
  }

  /** Whether an earlier attempt may have committed this write, although it failed. */
  isUncertain(write: Write<Row, Result>): boolean {
    return this.uncertain.has(write);
  }

  private async attempt(writes: Write<Row, Result>[]): Promise<Batch<Row, Result>> {
    if (this.arePlain(writes)) {
      try {
        return await this.atOnce(writes);
      } catch (error) {
        // For example a nonce that was used before: the longer way finds the conflict.
        if (error instanceof AppError || isConflict(error)) throw error;
      }
    }
    return this.database.quickTransaction((rows) => this.inSteps(rows, writes));
  }

  /** The rooms of these writes whose logs are not locked at the moment. */
  async unlocked(writes: Write<Row, Result>[]): Promise<Set<Room>> {
    const rooms = new Map(writes.map(({ room }) => [streamId(room), room]));
    const held = await lockedStreams(this.database.quickRows, [...rooms.keys()]);
    for (const id of held) rooms.delete(id);
    return new Set(rooms.values());
  }

  private arePlain(writes: Write<Row, Result>[]): boolean {
    const keys = new Set<string>();
    return writes.every((write) => {
      for (const key of onceKeysOf(write)) {
        if (keys.has(key)) return false;
        keys.add(key);
      }
      return write.threadId === null && this.table.isPlain(write.row) && !this.uncertain.has(write);
    });
  }

  /** One statement, which is its own transaction: one round trip. It fails if a key was used before. */
  private async atOnce(writes: Write<Row, Result>[]): Promise<Batch<Row, Result>> {
    const [first] = writes;
    const moved = await (first && writes.length === 1 ? this.one(first) : this.many(writes));
    const heads = new Map(moved.map(({ id, last_seq }) => [id, last_seq]));
    const batch: Batch<Row, Result> = { entries: [], outcomes: new Map() };
    for (const write of writes) {
      const id = streamId(write.room);
      const head = heads.get(id);
      if (head === undefined) continue;
      this.number(write, head + 1, batch);
      heads.set(id, head + 1);
    }
    return batch;
  }

  private one({ room, json, row }: Write<Row, Result>): Promise<Head[]> {
    const { event, columns } = this.table;
    const values = columns.map(({ of }) => of(row));
    return this.database.quickRows<Head>(this.insertOne, [event, streamId(room), json.slice(0, -1), ...values]);
  }

  private many(writes: Write<Row, Result>[]): Promise<Head[]> {
    const ids = writes.map(({ room }) => streamId(room));
    const { counts, steps } = stepsOf(ids);
    // All code locks logs ordered by id, so no two transactions deadlock.
    const logs = [...counts.keys()].sort();
    return this.database.quickRows<Head>(this.insertMany, [
      this.table.event,
      arrayText('uuid', logs, (id) => id),
      arrayText('int', logs, (id) => counts.get(id) ?? 0),
      arrayText('uuid', ids, (id) => id),
      arrayText('int', steps, (step) => step),
      arrayText('json', writes, ({ json }) => json.slice(0, -1)),
      ...this.table.columns.map(({ type, of }) => arrayText(type, writes, ({ row }) => of(row))),
    ]);
  }

  private async inSteps(rows: Rows, writes: Write<Row, Result>[]): Promise<Batch<Row, Result>> {
    await this.table.hold(
      rows,
      writes.map(({ row }) => row),
    );
    // Nobody else can append to these rooms now, so the next lookups stay valid until the commit.
    const heads = await lockOpenStreams(
      rows,
      writes.map(({ room }) => room),
    );
    const present = writes.filter(({ room }) => heads.has(streamId(room)));
    const earlier = await this.written(rows, present);
    const missing = present.filter((write) => !earlier.outcomes.has(write));
    const repeats = await this.repeats(rows, missing);
    const batch: Batch<Row, Result> = { entries: [], outcomes: new Map() };
    const fresh = this.complete(missing, repeats, heads, batch);
    if (fresh.length > 0) {
      await pipelined({ table: this.table.insert(rows, fresh), log: writeEntries(rows, batch.entries, heads) });
    }
    const repeated = [...batch.outcomes].filter(([, outcome]) => outcome.repeated);
    const firsts = repeated.map(([{ row }, { result }]) => ({ row, first: result }));
    if (firsts.length > 0) await this.table.remember(rows, firsts);
    return {
      entries: [...earlier.entries, ...batch.entries],
      outcomes: new Map([...earlier.outcomes, ...batch.outcomes]),
    };
  }

  /** Finds the writes that earlier attempts committed without an answer. */
  private async written(rows: Rows, writes: Write<Row, Result>[]): Promise<Batch<Row, Result>> {
    const batch: Batch<Row, Result> = { entries: [], outcomes: new Map() };
    const asked = writes.filter((write) => this.uncertain.has(write));
    if (asked.length === 0) return batch;
    const found = await this.table.findWritten(
      rows,
      asked.map(({ row }) => row),
    );
    for (const [index, write] of asked.entries()) {
      const seq = found.get(index);
      if (seq !== undefined) this.number(write, seq, batch);
    }
    return batch;
  }

  /** Numbers what is new and fills the outcomes. @returns the rows to insert */
  private complete(
    writes: Write<Row, Result>[],
    repeats: Map<Write<Row, Result>, Result>,
    heads: Map<string, number>,
    batch: Batch<Row, Result>,
  ): { row: Row; seq: number }[] {
    const fresh: { row: Row; seq: number }[] = [];
    const first = new Map<string, Result>();
    for (const write of writes) {
      const keys = onceKeysOf(write);
      const used = keys.find((key) => first.has(key));
      const earlier = repeats.get(write) ?? (used === undefined ? undefined : first.get(used));
      if (earlier !== undefined) {
        batch.outcomes.set(write, { result: earlier, repeated: true });
        continue;
      }
      const seq = (heads.get(streamId(write.room)) ?? 0) + 1;
      heads.set(streamId(write.room), seq);
      const result = this.number(write, seq, batch);
      fresh.push({ row: write.row, seq });
      for (const key of keys) first.set(key, result);
    }
    return fresh;
  }

  private number(write: Write<Row, Result>, seq: number, batch: Batch<Row, Result>): Result {
    const { room, threadId, json } = write;
    const result = write.complete(seq);
    batch.entries.push({ room, seq, event: this.table.event, threadId, json: sequenced(json, seq) });
    batch.outcomes.set(write, { result, repeated: false });
    return result;
  }

  private async repeats(rows: Rows, writes: Write<Row, Result>[]): Promise<Map<Write<Row, Result>, Result>> {
    const keyed = writes.filter(({ onceKeys }) => onceKeys.length > 0);
    if (keyed.length === 0) return new Map();
    const found = await this.table.findRepeats(
      rows,
      keyed.map(({ row }) => row),
    );
    const repeats = new Map<Write<Row, Result>, Result>();
    for (const [index, result] of found) {
      const write = keyed[index];
      if (write) repeats.set(write, result);
    }
    return repeats;
  }
}

function onceKeysOf<Row, Result>({ room, onceKeys }: Write<Row, Result>): string[] {
  return onceKeys.map((key) => `${room} ${key}`);
}

/** How far each write's number lies behind the head of its log: 1, 2, 3, … in each; and how many there are of each. */
function stepsOf(ids: string[]): { counts: Map<string, number>; steps: number[] } {
  const counts = new Map<string, number>();
  const steps = ids.map((id) => {
    const step = (counts.get(id) ?? 0) + 1;
    counts.set(id, step);
    return step;
  });
  return { counts, steps };
}

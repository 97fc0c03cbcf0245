import { byRoom, type LogEntry, numbered } from '../cluster/entry.ts';
import { type Draft, type Room, streamId } from '../contract/rooms.ts';
import { arrayOf, type ElementType, textsOfJson } from '../database/array-text.ts';
import type { Rows } from '../database/database.ts';
import { type Age, byAge, isComplete, recentFirst } from '../database/partitions/recent.ts';

/** The head of a log. */
export interface Head {
  seq: number;
  /** Everything up to and including this number has been trimmed. */
  floor: number;
  /** Everything after this number is a new message that changed nothing else. */
  changedSeq: number;
  /** It is a person's, or of direct messages: the database notes when it gets events (see moved.table.ts). */
  isNoted: boolean;
}

interface StreamRow {
  id: string;
  last_seq: number;
}

interface EntryRow {
  seq: number;
  event: string;
  thread_id: string | null;
  json: string;
  is_outdated: boolean;
}

const entryColumns = 'seq, event, thread_id, data::text AS json, is_outdated';

function entryOf(room: Room, row: EntryRow): LogEntry {
  const entry = { room, seq: row.seq, event: row.event, threadId: row.thread_id, json: row.json };
  return row.is_outdated ? { ...entry, isOutdated: true } : entry;
}

/** Creates the (empty) log of a new room, in the transaction that creates the channel or user. */
export async function createStream(rows: Rows, room: Room): Promise<void> {
  const kind = room.slice(0, room.indexOf(':'));
  await rows('INSERT INTO streams (id, kind) VALUES ($1, $2)', [streamId(room), kind]);
}

/**
 * Locks the logs of `rooms` until the transaction ends, ordered by id: all code locks them in this order, so no two
 * transactions deadlock.
 *
 * @returns the last number taken, by stream id; rooms without a log are missing
 */
export async function lockStreams(rows: Rows, rooms: Iterable<Room>): Promise<Map<string, number>> {
  return new Map((await lockHeads(rows, rooms)).map((row) => [row.id, row.last_seq]));
}

/** The same, leaving out closed ones. */
export async function lockOpenStreams(rows: Rows, rooms: Iterable<Room>): Promise<Map<string, number>> {
  const open = (await lockHeads(rows, rooms)).filter((row) => !row.is_closed);
  return new Map(open.map((row) => [row.id, row.last_seq]));
}

function lockHeads(rows: Rows, rooms: Iterable<Room>): Promise<(StreamRow & { is_closed: boolean })[]> {
  const ids = [...new Set(rooms)].map(streamId);
  return rows('SELECT id, last_seq, is_closed FROM streams WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE', [ids]);
}

/** Those of these logs that are locked by someone else. */
export async function lockedStreams(rows: Rows, ids: string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    `WITH free AS (SELECT id FROM streams WHERE id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED)
     SELECT id FROM streams WHERE id = ANY($1::uuid[]) AND id NOT IN (SELECT id FROM free)`,
    [ids],
  );
  return found.map(({ id }) => id);
}

/** Closes these (locked) rooms to sends, including those whose access was checked before; or opens them again. */
export async function closeStreams(rows: Rows, rooms: Iterable<Room>, isClosed = true): Promise<void> {
  await rows('UPDATE streams SET is_closed = $2 WHERE id = ANY($1::uuid[])', [[...rooms].map(streamId), isClosed]);
}

/** Gives each draft the next number of its room, advancing `heads`. */
export function numberDrafts(drafts: Draft[], heads: Map<string, number>): LogEntry[] {
  return drafts.map((draft) => {
    const id = streamId(draft.room);
    const last = heads.get(id);
    if (last === undefined) throw new Error(`${draft.room} has no log.`);
    heads.set(id, last + 1);
    return numbered(draft, last + 1);
  });
}

/** Writes numbered entries and the new heads of their (locked) rooms. */
export async function writeEntries(rows: Rows, entries: LogEntry[], heads: Map<string, number>): Promise<void> {
  const ids = [...new Set(entries.map((entry) => streamId(entry.room)))];
  await rows(
    `WITH moved AS (
       UPDATE streams SET last_seq = head.seq, changed_seq = head.seq
       FROM unnest($1::uuid[], $2::bigint[]) AS head (id, seq) WHERE streams.id = head.id
     )
     INSERT INTO log_entries (stream_id, seq, event, thread_id, data)
     SELECT * FROM unnest($3::uuid[], $4::bigint[], $5::text[], $6::uuid[], $7::json[])`,
    [
      ids,
      ids.map((id) => heads.get(id)),
      entries.map((entry) => streamId(entry.room)),
      entries.map((entry) => entry.seq),
      entries.map((entry) => entry.event),
      entries.map((entry) => entry.threadId),
      entries.map((entry) => entry.json),
    ],
  );
}

/** Columns of a table that is filled together with the log: their names, types, and values. */
export type Columns<Row> = { name: string; type: ElementType; of: (row: Row) => string | number | null }[];

/**
 * SQL that appends a batch of plain writes; one statement, so its own transaction. It advances the heads of the logs,
 * assigns numbers, inserts into a table and writes the entries. $1 is the event, $2 the logs and $3 how many entries each
 * of them gets, $4 the log of each item, $5 how far past the head its number is, $6 payloads as JSON text without the
 * closing brace, then the columns. It returns the heads as they were before; items without a log, or with a closed one,
 * are left out.
 *
 * The logs must be given ordered by id: they are locked in the given order, and `lockStreams` locks by id.
 *
 * @param insertion `INSERT … SELECT …` up to its FROM, which provides `stream_id`, `seq` and the columns
 */
export function appendManySql<Row>(columns: Columns<Row>, insertion: string): string {
  const names = columns.map(({ name }) => name).join(', ');
  const lists = columns.map(({ type }, at) => arrayOf(type, `$${at + 7}`)).join(', ');
  return `WITH moved AS (
    UPDATE streams SET last_seq = last_seq + log.entries FROM unnest($2::uuid[], $3::int[]) AS log (id, entries)
    WHERE streams.id = log.id AND NOT is_closed RETURNING streams.id, last_seq - log.entries AS last_seq
  ), numbered AS MATERIALIZED (
    SELECT item.*, moved.last_seq + item.step AS seq
    FROM unnest($4::uuid[], $5::int[], ${textsOfJson('$6')}, ${lists})
      AS item (stream_id, step, open_json, ${names}) JOIN moved ON moved.id = item.stream_id
  ), inserted AS (
    ${insertion} FROM numbered
  ), logged AS (
    INSERT INTO log_entries (stream_id, seq, event, data)
    SELECT stream_id, seq, $1, ${numberedJson('open_json')} FROM numbered
  )
  SELECT id, last_seq FROM moved`;
}

/**
 * The same for one write, which saves a quarter of the time: nothing is gathered, sorted or joined. $1 is the event, $2
 * its log, $3 the payload, then the columns. It returns the head as it was before, if the log exists and is not closed.
 */
export function appendOneSql<Row>(columns: Columns<Row>, insertion: string): string {
  const values = columns.map(({ name, type }, at) => `$${at + 4}::${type} AS ${name}`).join(', ');
  return `WITH numbered AS (
    UPDATE streams SET last_seq = last_seq + 1 WHERE id = $2 AND NOT is_closed RETURNING id AS stream_id, last_seq AS seq
  ), inserted AS (
    ${insertion} FROM (SELECT stream_id, seq, ${values} FROM numbered) AS item
  ), logged AS (
    INSERT INTO log_entries (stream_id, seq, event, data) SELECT stream_id, seq, $1, ${numberedJson('$3')} FROM numbered
  )
  SELECT stream_id AS id, seq - 1 AS last_seq FROM numbered`;
}

/** @param openJson SQL of a JSON text without its closing brace */
const numberedJson = (openJson: string): string =>
  `(${openJson} || ',"seq":' || seq || ',"eventSeq":' || seq || '}')::json`;

/** The heads of the logs of `ids`. */
export async function readHeads(rows: Rows, ids: string[]): Promise<Map<string, Head>> {
  const found = await rows<StreamRow & { floor_seq: number; changed_seq: number; is_noted: boolean }>(
    `SELECT id, last_seq, floor_seq, changed_seq, kind = 'user' OR is_direct AS is_noted
     FROM streams WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  return new Map(
    found.map((row) => [
      row.id,
      { seq: row.last_seq, floor: row.floor_seq, changedSeq: row.changed_seq, isNoted: row.is_noted },
    ]),
  );
}

/** The logs that are not at their known position, with their heads. */
export async function readMoved(rows: Rows, known: { id: string; seq: number }[]): Promise<Map<string, number>> {
  const found = await rows<StreamRow>(
    `SELECT streams.id, streams.last_seq FROM unnest($1::uuid[], $2::bigint[]) AS known (id, seq)
     JOIN streams ON streams.id = known.id WHERE streams.last_seq <> known.seq`,
    [known.map((head) => head.id), known.map((head) => head.seq)],
  );
  return new Map(found.map((row) => [row.id, row.last_seq]));
}

const selectLog = (when: string) => `SELECT ${entryColumns} FROM log_entries WHERE stream_id = $1 AND seq > $2 ${when}
  ORDER BY seq LIMIT $3`;
const readsOfLog = byAge(selectLog);

/** Entries after `after`, oldest first. */
export async function readLog(rows: Rows, room: Room, after: number, limit: number): Promise<LogEntry[]> {
  const found = await recentFirst(after, (age) => rows<EntryRow>(readsOfLog[age], [streamId(room), after, limit]));
  return found.map((row) => entryOf(room, row));
}

const selectLogs = (when: string) => `SELECT known.id AS stream_id, entry.seq, entry.event, entry.thread_id, entry.json,
    entry.is_outdated
  FROM unnest($1::uuid[], $2::bigint[]) AS known (id, seq) CROSS JOIN LATERAL (
    SELECT ${entryColumns} FROM log_entries WHERE stream_id = known.id AND seq > known.seq ${when} ORDER BY seq LIMIT $3
  ) AS entry ORDER BY known.id, entry.seq`;
const readsOfLogs = byAge(selectLogs);

/** Entries after each room's position, oldest first, up to `limit` per room: many rooms with one query. */
export async function readLogs(rows: Rows, known: { room: Room; seq: number }[], limit: number): Promise<LogEntry[]> {
  const read = async (age: Age, among: typeof known) => {
    const rooms = new Map(among.map(({ room }) => [streamId(room), room]));
    const positions = [among.map(({ room }) => streamId(room)), among.map(({ seq }) => seq)];
    const found = await rows<EntryRow & { stream_id: string }>(readsOfLogs[age], [...positions, limit]);
    return found.flatMap((row) => {
      const room = rooms.get(row.stream_id);
      return room ? [entryOf(room, row)] : [];
    });
  };
  const recent = byRoom(await read('recent', known));
  const incomplete = known.filter(({ room, seq }) => !isComplete(seq, recent.get(room) ?? []));
  for (const { room } of incomplete) recent.delete(room);
  return [...recent.values(), incomplete.length > 0 ? await read('any', incomplete) : []].flat();
}

/** More events than a room has between a backup and its restore. */
const leap = 1_000_000;

/**
 * For a restore from a backup: clients know the numbers of events that are gone, and would mistake new events with these
 * numbers for them. So all logs jump ahead, and every client that returns with a position reloads its lists.
 */
export async function leapAhead(rows: Rows): Promise<void> {
  await rows('TRUNCATE log_entries');
  await rows('UPDATE streams SET last_seq = last_seq + $1, floor_seq = last_seq + $1', [leap]);
}

/** The same for one log whose head fell behind `position`, unless another node did it first. */
export async function leapOver(rows: Rows, room: Room, position: number): Promise<void> {
  await rows(
    `WITH ahead AS (
       UPDATE streams SET last_seq = greatest(last_seq, $2) + $3, floor_seq = greatest(last_seq, $2) + $3,
         changed_seq = greatest(last_seq, $2) + $3
       WHERE id = $1 AND floor_seq <= $2 RETURNING id
     )
     DELETE FROM log_entries USING ahead WHERE stream_id = ahead.id`,
    [streamId(room), position, leap],
  );
}

import type { EndReason } from '../../../contract/stream.ts';
import type { Rows } from '../../../database/database.ts';

/** What other nodes need to know to end a reply in progress. */
export interface StreamPlace {
  userId: string;
  streamId: string;
  channelId: string;
  threadId: string | null;
}

/** A reply in progress, as far as it is known. */
export interface KeptStream {
  place: StreamPlace;
  replyToId: string | null;
  content: string;
  /** How much of it others may see by now. */
  shown: number;
  /** Pieces are missing. */
  isBroken: boolean;
  /** The server makes it itself: no bot will continue it. */
  isServed: boolean;
  /** In ms since 1970. */
  startedAt: number;
}

interface Row {
  user_id: string;
  channel_id: string;
  stream_id: string;
  thread_id: string | null;
  reply_to_id: string | null;
  content: string;
  shown: number;
  is_broken: boolean;
  is_served: boolean;
  state: 'open' | 'ending' | 'ended';
  reason: EndReason | null;
  stopped_by: string | null;
  started_at: Date | string;
}

/** An ended one whose text is still to become a message. */
export interface Ending {
  kept: KeptStream;
  reason: EndReason;
  stoppedBy: string | null;
}

type Key = Pick<StreamPlace, 'userId' | 'channelId' | 'streamId'>;

const columns =
  'user_id, channel_id, stream_id, thread_id, reply_to_id, content, shown, is_broken, is_served, started_at';
const values = `unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::int[], $8::bool[], $9::bool[],
    $10::timestamptz[])
  AS k (${columns})`;
const replaced = `thread_id = excluded.thread_id, reply_to_id = excluded.reply_to_id, content = excluded.content,
  shown = excluded.shown, is_broken = excluded.is_broken, is_served = excluded.is_served, started_at = excluded.started_at, seen_at = now()`;
/** One whose channel is gone meanwhile is not kept. Nodes that keep the same one wait for each other in this order. */
const keep = `INSERT INTO reply_streams AS r (${columns}, seen_at)
  SELECT k.*, now() FROM ${values} WHERE EXISTS (SELECT FROM channels c WHERE c.id = k.channel_id)
  ORDER BY k.user_id, k.channel_id, k.stream_id
  ON CONFLICT (user_id, channel_id, stream_id) DO UPDATE SET ${replaced} WHERE r.state = 'open'
  RETURNING user_id, channel_id, stream_id`;
const end = `INSERT INTO reply_streams AS r (${columns}, seen_at, state, reason, stopped_by)
  SELECT k.*, now(), 'ending', $11, $12::uuid FROM ${values}
  ON CONFLICT (user_id, channel_id, stream_id)
  DO UPDATE SET ${replaced}, state = excluded.state, reason = excluded.reason, stopped_by = excluded.stopped_by
  WHERE r.state = 'open' RETURNING 1 AS one`;
const own = 'user_id = $1 AND channel_id = $2 AND stream_id = $3';
const find = `SELECT * FROM reply_streams WHERE ${own}`;
const settle = `UPDATE reply_streams SET state = 'ended', content = '""', seen_at = now() WHERE ${own} AND state = 'ending'`;
const postpone = `UPDATE reply_streams SET seen_at = now() WHERE ${own} AND state = 'ending'`;
const remove = `DELETE FROM reply_streams r USING unnest($1::uuid[], $2::uuid[], $3::text[]) AS k (user_id, channel_id, stream_id)
  WHERE r.user_id = k.user_id AND r.channel_id = k.channel_id AND r.stream_id = k.stream_id AND r.state = 'open'`;
const unsettled = `SELECT * FROM reply_streams WHERE state = 'ending' AND seen_at < now() - interval '10 seconds'
  ORDER BY seen_at LIMIT $1`;
const takeOverdue = `DELETE FROM reply_streams WHERE (user_id, channel_id, stream_id) IN (
    SELECT user_id, channel_id, stream_id FROM reply_streams
    WHERE state = 'open' AND seen_at < now() - make_interval(secs => $1) ORDER BY seen_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING *`;
const forget = `DELETE FROM reply_streams WHERE (user_id, channel_id, stream_id) IN (
    SELECT user_id, channel_id, stream_id FROM reply_streams
    WHERE state = 'ended' AND seen_at < now() - interval '1 day' ORDER BY seen_at LIMIT $1
  ) RETURNING 1 AS one`;

const keyOf = ({ userId, channelId, streamId }: Key) => [userId, channelId, streamId];
const named = (row: Pick<Row, 'user_id' | 'channel_id' | 'stream_id'>): Key => ({
  userId: row.user_id,
  channelId: row.channel_id,
  streamId: row.stream_id,
});

function valuesOf(kept: KeptStream[]): unknown[] {
  return [
    kept.map(({ place }) => place.userId),
    kept.map(({ place }) => place.channelId),
    kept.map(({ place }) => place.streamId),
    kept.map(({ place }) => place.threadId),
    kept.map(({ replyToId }) => replyToId),
    kept.map(({ content }) => JSON.stringify(content)),
    kept.map(({ shown }) => shown),
    kept.map(({ isBroken }) => isBroken),
    kept.map(({ isServed }) => isServed),
    kept.map(({ startedAt }) => new Date(startedAt).toISOString()),
  ];
}

function keptIn(row: Row): KeptStream {
  return {
    place: { ...named(row), threadId: row.thread_id },
    replyToId: row.reply_to_id,
    content: String(JSON.parse(row.content)),
    shown: row.shown,
    isBroken: row.is_broken,
    isServed: row.is_served,
    startedAt: new Date(row.started_at).getTime(),
  };
}

/** The statements on replies in progress. */
export const streamTable = {
  /** @returns those that may go on: the others were ended */
  keep: async (rows: Rows, kept: KeptStream[]): Promise<Key[]> => (await rows<Row>(keep, valuesOf(kept))).map(named),

  /** Ends one for good. @returns whether it was in progress */
  async end(rows: Rows, { kept, reason, stoppedBy }: Ending): Promise<boolean> {
    return (await rows(end, [...valuesOf([kept]), reason, stoppedBy])).length > 0;
  },

  async find(rows: Rows, key: Key): Promise<{ state: Row['state']; kept: KeptStream } | undefined> {
    const [row] = await rows<Row>(find, keyOf(key));
    return row && { state: row.state, kept: keptIn(row) };
  },

  /** The text of one has become a message, or nothing can come of it. */
  settle: (rows: Rows, key: Key) => rows(settle, keyOf(key)),

  /** The text of one could not become a message now: it is tried again after the others. */
  postpone: (rows: Rows, key: Key) => rows(postpone, keyOf(key)),

  /** Forgets those in progress that have ended in the usual way. */
  remove: (rows: Rows, keys: Key[]) =>
    rows(remove, [
      keys.map(({ userId }) => userId),
      keys.map(({ channelId }) => channelId),
      keys.map(({ streamId }) => streamId),
    ]),

  /** Those that were ended by a node that died before their text became a message. */
  async unsettled(rows: Rows, limit: number): Promise<Ending[]> {
    const found = await rows<Row>(unsettled, [limit]);
    return found.map((row) => ({ kept: keptIn(row), reason: row.reason ?? 'cut', stoppedBy: row.stopped_by }));
  },

  /** Removes those that nobody has continued for so long. */
  async takeOverdue(rows: Rows, seconds: number, limit: number): Promise<KeptStream[]> {
    return (await rows<Row>(takeOverdue, [seconds, limit])).map(keptIn);
  },

  async forget(rows: Rows, limit: number): Promise<number> {
    return (await rows(forget, [limit])).length;
  },
};

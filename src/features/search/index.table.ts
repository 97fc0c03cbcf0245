import type { Rows } from '../../database/database.ts';
import type { Source } from './document.ts';

/** SQL of what the index keeps of message `m`. */
const columns = `m.id, m.channel_id AS "channelId", m.seq, m.content, m.author_id AS "authorId",
  coalesce(u.is_bot, false) AS "isBot", m.mentions, m.pinned_at IS NOT NULL AS "isPinned", m.deleted_at IS NOT NULL AS "isDeleted",
  m.thread_id IS NOT NULL OR m.has_extras AND EXISTS (SELECT FROM threads t WHERE t.parent_message_id = m.id) AS "inThread",
  m.has_extras AND EXISTS (SELECT FROM reactions r WHERE r.message_id = m.id) AS "hasReactions",
  c.server_id AS "serverId", d.low_id AS "lowId", d.high_id AS "highId",
  CASE WHEN c.kind = 'group' THEN ARRAY(SELECT g.user_id FROM group_members g WHERE g.channel_id = c.id) END AS "groupIds",
  CASE WHEN m.has_extras THEN (SELECT json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type,
    'blobId', a.blob_id) ORDER BY a.place) FROM attachments a WHERE a.message_id = m.id) END AS files,
  CASE WHEN m.has_extras THEN (SELECT p.question || E'\\n' || array_to_string(p.options, E'\\n') FROM polls p
    WHERE p.message_id = m.id) END AS poll,
  CASE WHEN m.has_extras THEN (SELECT content FROM message_forwards f WHERE f.message_id = m.id) END AS forwarded`;
const surroundings = `JOIN channels c ON c.id = m.channel_id LEFT JOIN users u ON u.id = m.author_id
  LEFT JOIN dm_channels d ON d.channel_id = m.channel_id`;

/**
 * Channels with messages that were sent since a moment, by their ids, and are not indexed yet. Whatever this misses, since a
 * clock was wrong or a batch took long, is found when all channels are looked at in turn.
 */
const selectNew = `SELECT DISTINCT m.channel_id AS id FROM (SELECT channel_id, seq FROM messages WHERE id > $1 ORDER BY id) AS m
  LEFT JOIN search_progress p ON p.channel_id = m.channel_id WHERE m.seq > coalesce(p.seq, 0) LIMIT $2`;
/** The next channels in order, and which of them are behind. */
const selectInTurn = `SELECT s.id, s.last_seq > coalesce(p.seq, 0) AND EXISTS (SELECT FROM channels c WHERE c.id = s.id) AS behind
  FROM (SELECT id, last_seq FROM streams WHERE id > $1 ORDER BY id LIMIT $2) AS s
  LEFT JOIN search_progress p ON p.channel_id = s.id ORDER BY s.id`;
const selectBehind = 'SELECT channel_id AS id FROM search_progress WHERE before_seq > 0 LIMIT 1';
const selectHeads = `SELECT s.id, s.last_seq AS head, coalesce(p.seq, 0) AS seq FROM streams s JOIN channels c ON c.id = s.id
  LEFT JOIN search_progress p ON p.channel_id = s.id WHERE s.id = ANY($1::uuid[])`;
/** All numbers up to a head that was read before are committed: they are taken under the lock on it. */
const selectNext = `SELECT ${columns} FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS place (id, after, head)
  CROSS JOIN LATERAL (SELECT * FROM messages WHERE channel_id = place.id AND seq > place.after AND seq <= place.head
    ORDER BY seq LIMIT $4) AS m ${surroundings} ORDER BY m.channel_id, m.seq`;
const selectBefore = `SELECT ${columns} FROM (SELECT * FROM messages WHERE channel_id = $1
    AND seq < (SELECT before_seq FROM search_progress WHERE channel_id = $1) ORDER BY seq DESC LIMIT $2) AS m
  ${surroundings} ORDER BY m.seq DESC`;
const selectThese = `SELECT ${columns} FROM messages m ${surroundings} WHERE m.id = ANY($1::uuid[])`;
const moveOn = `INSERT INTO search_progress (channel_id, seq) SELECT * FROM unnest($1::uuid[], $2::bigint[])
  ON CONFLICT (channel_id) DO UPDATE SET seq = excluded.seq`;
const moveBack = 'UPDATE search_progress SET before_seq = $2 WHERE channel_id = $1';
const takeStale = `DELETE FROM search_stale WHERE id = ANY(ARRAY(SELECT id FROM search_stale ORDER BY id LIMIT $1))
  RETURNING message_id AS id`;
const noteAfter = `WITH page AS (SELECT id, seq FROM messages WHERE channel_id = $1 AND seq > $2 ORDER BY seq LIMIT $3),
    noted AS (INSERT INTO search_stale (message_id, is_text) SELECT id, false FROM page)
  SELECT max(seq) AS last FROM page`;
const insertion = `INSERT INTO search_words (message_id, channel_id, words)
  SELECT id, channel_id, words::tsvector FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS new (id, channel_id, words)
  ON CONFLICT (message_id)`;
/** Whoever indexed it anew meanwhile has read it later. */
const insertWords = `${insertion} DO NOTHING`;
const replaceWords = `${insertion} DO UPDATE SET words = excluded.words`;
const deleteWords = 'DELETE FROM search_words WHERE message_id = ANY($1::uuid[])';
const isWaiting = `SELECT EXISTS (SELECT FROM search_stale) OR EXISTS (SELECT FROM messages m
  LEFT JOIN search_progress p ON p.channel_id = m.channel_id WHERE m.id > $1 AND m.seq > coalesce(p.seq, 0)) AS waiting`;
const selectOldest = `SELECT m.id FROM messages m LEFT JOIN search_progress p ON p.channel_id = m.channel_id
  WHERE m.id > $1 AND m.seq > coalesce(p.seq, 0) ORDER BY m.id LIMIT 1`;

interface Head {
  id: string;
  head: number;
  /** Up to which number it is indexed. */
  seq: number;
}

const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);

/** The statements of the index. */
export const indexTable = {
  async newChannels(rows: Rows, sinceId: string, limit: number): Promise<string[]> {
    return idsOf(await rows<{ id: string }>(selectNew, [sinceId, limit]));
  },

  channelsInTurn(rows: Rows, afterId: string, limit: number): Promise<{ id: string; behind: boolean }[]> {
    return rows<{ id: string; behind: boolean }>(selectInTurn, [afterId, limit]);
  },

  /** A channel of which earlier messages are not indexed yet. */
  async behind(rows: Rows): Promise<string | undefined> {
    return idsOf(await rows<{ id: string }>(selectBehind))[0];
  },

  heads(rows: Rows, channelIds: string[]): Promise<Head[]> {
    return rows<Head>(selectHeads, [channelIds]);
  },

  /** The next messages of each channel, up to its head. */
  next(rows: Rows, heads: Head[], limit: number): Promise<Source[]> {
    const lists = [heads.map(({ id }) => id), heads.map(({ seq }) => seq), heads.map(({ head }) => head)];
    return rows<Source>(selectNext, [...lists, limit]);
  },

  /** Messages before those that are indexed, newest first. */
  before(rows: Rows, channelId: string, limit: number): Promise<Source[]> {
    return rows<Source>(selectBefore, [channelId, limit]);
  },

  these(rows: Rows, ids: string[]): Promise<Source[]> {
    return rows<Source>(selectThese, [ids]);
  },

  async moveOn(rows: Rows, to: { id: string; seq: number }[]): Promise<void> {
    await rows(moveOn, [idsOf(to), to.map(({ seq }) => seq)]);
  },

  async moveBack(rows: Rows, channelId: string, seq: number): Promise<void> {
    await rows(moveBack, [channelId, seq]);
  },

  /** Notes that the next messages of a channel are to be indexed anew. @returns the number of the last; null: there are none */
  async noteAfter(rows: Rows, channelId: string, after: number, limit: number): Promise<number | null> {
    const [row] = await rows<{ last: number | null }>(noteAfter, [channelId, after, limit]);
    return row?.last ?? null;
  },

  /** Takes some of the notes. @returns the messages */
  async takeStale(rows: Rows, limit: number): Promise<string[]> {
    return [...new Set(idsOf(await rows<{ id: string }>(takeStale, [limit])))];
  },

  async write(rows: Rows, documents: { id: string; channelId: string; words: string }[], anew: boolean): Promise<void> {
    if (documents.length === 0) return;
    const lists = [idsOf(documents), documents.map(({ channelId }) => channelId), documents.map(({ words }) => words)];
    await rows(anew ? replaceWords : insertWords, lists);
  },

  async remove(rows: Rows, ids: string[]): Promise<void> {
    if (ids.length > 0) await rows(deleteWords, [ids]);
  },

  /** Whether something that was committed before is not indexed yet. */
  async isWaiting(rows: Rows, sinceId: string): Promise<boolean> {
    const [row] = await rows<{ waiting: boolean }>(isWaiting, [sinceId]);
    return row?.waiting ?? false;
  },

  /** The oldest message since a moment that is not indexed yet. */
  async oldestWaiting(rows: Rows, sinceId: string): Promise<string | undefined> {
    return idsOf(await rows<{ id: string }>(selectOldest, [sinceId]))[0];
  },
};

import { selectMayRead } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';

/** How many of someone's own messages are found at once: 24 bytes each. */
const mostFound = 50_000;
const idBytes = 16;
const placeBytes = idBytes + 8;

/**
 * Where someone's messages are, from a place on, as bytes: the channel's id and the number. The index has the author
 * alone, so each of these looks at all of their messages, once for every 50 000.
 */
const selectOwn = `SELECT string_agg(uuid_send(channel_id) || int8send(seq), '' ORDER BY channel_id, seq) AS places FROM (
    SELECT channel_id, seq FROM (
      SELECT channel_id, seq FROM messages WHERE author_id = $1 AND deleted_at IS NULL OFFSET 0
    ) AS own WHERE (channel_id, seq) > ($2::uuid, $3::bigint) ORDER BY channel_id, seq LIMIT $4
  ) AS page`;

/** What someone may know of a channel in which they wrote: its name only while they may read it. */
const selectPlace = `SELECT c.kind, ${selectMayRead('$1::uuid')} AS "isReadable", c.name, c.server_id AS "serverId", s.name AS "serverName"
  FROM channels c LEFT JOIN servers s ON s.id = c.server_id WHERE c.id = $2 AND c.deleted_at IS NULL`;

const filesOf = `CASE WHEN m.has_extras THEN (
    SELECT json_agg(json_build_object('id', a.id, 'filename', a.filename, 'contentType', a.content_type, 'size', a.size,
      'uploaderId', a.uploader_id) ORDER BY a.place)
    FROM attachments a WHERE a.message_id = m.id) END`;
const pollOf = `CASE WHEN m.has_extras THEN (
    SELECT json_build_object('question', p.question, 'options', p.options, 'counts', p.counts, 'multiple', p.multiple,
      'anonymous', p.anonymous, 'voterCount', p.voter_count, 'closesAt', p.closes_at, 'closedAt', p.closed_at)
    FROM polls p WHERE p.message_id = m.id) END`;
/** What a message says of another one. */
const forwardOf = `CASE WHEN m.has_extras THEN (
    SELECT json_build_object('messageId', f.source_id, 'author', a.username, 'content', f.content, 'createdAt', f.sent_at)
    FROM message_forwards f JOIN users a ON a.id = f.author_id WHERE f.message_id = m.id) END`;
const selectMessages = `SELECT m.seq AS cursor, m.id, m.thread_id AS "threadId", m.reply_to_id AS "replyToId",
    m.author_id AS "authorId", u.username AS author, m.content, m.mentions, m.metadata, m.is_edited AS "isEdited",
    m.created_at AS "createdAt", m.updated_at AS "updatedAt", ${filesOf} AS files, ${pollOf} AS poll,
    ${forwardOf} AS forwarded
  FROM messages m JOIN users u ON u.id = m.author_id LEFT JOIN threads t ON t.id = m.thread_id
  WHERE m.channel_id = $1 AND m.deleted_at IS NULL AND t.deleted_at IS NULL`;
const ofNumbers = `${selectMessages} AND m.author_id = $2 AND m.seq = ANY($3::bigint[]) ORDER BY m.seq`;
/** The page is found first, so that it ends where its last message is, also where some of a deleted thread are left out. */
const afterNumber = `${selectMessages} AND m.seq > $2 AND m.seq <= $3 ORDER BY m.seq`;
const endOfPage = `SELECT max(seq) AS last FROM (
    SELECT seq FROM messages WHERE channel_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS page`;
/** With those of deleted accounts: what they wrote is still to be read. Groups have no user of their own. */
const directs = `SELECT c.id, CASE WHEN c.kind = 'group' AND c.name <> '' THEN c.name ELSE (
    SELECT string_agg('@' || u.username, ', ' ORDER BY u.id) FROM channel_members m JOIN users u ON u.id = m.user_id
    WHERE m.channel_id = c.id AND m.user_id <> $1 AND NOT m.excluded) END AS names
  FROM (
    SELECT d.channel_id FROM dm_channels d WHERE d.low_id = $1 OR d.high_id = $1
    UNION SELECT g.channel_id FROM group_members g WHERE g.user_id = $1
  ) AS own JOIN channels c ON c.id = own.channel_id
  WHERE c.id > $2 AND ${selectMayRead('$1::uuid')} ORDER BY c.id LIMIT $3`;

const withVersions = `SELECT DISTINCT message_id AS id FROM message_versions
  WHERE channel_id = $1 AND message_id = ANY($2::uuid[])`;
const versionsOf = `SELECT version, content, edited_at AS "editedAt" FROM message_versions
  WHERE channel_id = $1 AND message_id = $2 ORDER BY version`;

/** The number of a message in its channel. */
export interface Place {
  channelId: string;
  seq: number;
}

/** The numbers of someone's messages in a channel, in order. */
export interface Run {
  channelId: string;
  numbers: number[];
}

/** A channel in which someone wrote. */
export interface KnownChannel {
  kind: string;
  isReadable: boolean;
  name: string;
  serverId: string | null;
  serverName: string | null;
}

/** A direct message channel or group, by its name or by the others in it; null: there are none. */
export interface Direct {
  id: string;
  names: string | null;
}

/** A file of a message. */
export interface SentFile {
  id: string;
  filename: string;
  contentType: string;
  size: number;
  uploaderId: string;
}

/** What a message said until it was edited. */
export interface Former {
  version: number;
  content: string;
  editedAt: string;
}

/** A message as it is exported. */
export interface ExportedMessage {
  cursor: number;
  id: string;
  author: string;
  content: string;
  isEdited: boolean;
  createdAt: string;
  files: SentFile[] | null;
  forwarded: { author: string; content: string } | null;
  [column: string]: unknown;
}

/**
 * Someone's next messages after a place, in order, wherever they are.
 * @returns `next`: after which place there may be more; null: these are the last
 */
export async function findOwn(rows: Rows, userId: string, after: Place): Promise<{ runs: Run[]; next: Place | null }> {
  const [found] = await rows<{ places: Buffer | null }>(selectOwn, [userId, after.channelId, after.seq, mostFound]);
  const bytes = found?.places ?? Buffer.alloc(0);
  const runs: Run[] = [];
  let current: Buffer = Buffer.alloc(0);
  for (let at = 0; at < bytes.length; at += placeBytes) {
    const id = bytes.subarray(at, at + idBytes);
    if (!id.equals(current)) runs.push({ channelId: uuidOf(id), numbers: [] });
    current = id;
    runs.at(-1)?.numbers.push(Number(bytes.readBigInt64BE(at + idBytes)));
  }
  const last = runs.at(-1);
  const isMore = last !== undefined && bytes.length === mostFound * placeBytes;
  return { runs, next: isMore ? { channelId: last.channelId, seq: last.numbers.at(-1) ?? 0 } : null };
}

const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** A channel that still exists. */
export async function findChannel(rows: Rows, userId: string, channelId: string): Promise<KnownChannel | undefined> {
  const [found] = await rows<KnownChannel>(selectPlace, [userId, channelId]);
  return found;
}

/** Someone's own messages of a channel, by their numbers. */
export function readOwn(rows: Rows, channelId: string, userId: string, numbers: number[]): Promise<ExportedMessage[]> {
  return rows<ExportedMessage>(ofNumbers, [channelId, userId, numbers]);
}

/** Those of some messages of which earlier versions are kept. */
export async function editedAmong(rows: Rows, channelId: string, ids: string[]): Promise<Set<string>> {
  return new Set((await rows<{ id: string }>(withVersions, [channelId, ids])).map(({ id }) => id));
}

/** What a message said before, oldest first. */
export function readFormer(rows: Rows, channelId: string, messageId: string): Promise<Former[]> {
  return rows<Former>(versionsOf, [channelId, messageId]);
}

/** The next messages of a conversation after a number, everyone's. @returns `last`: where this page ends; null: nothing more */
export async function readAfter(
  rows: Rows,
  channelId: string,
  after: number,
  limit: number,
): Promise<{ messages: ExportedMessage[]; last: number | null }> {
  const [end] = await rows<{ last: number | null }>(endOfPage, [channelId, after, limit]);
  const last = end?.last ?? null;
  return { messages: last === null ? [] : await rows<ExportedMessage>(afterNumber, [channelId, after, last]), last };
}

/** Someone's direct message channels that they may read, by id. */
export function readDirects(rows: Rows, userId: string, after: string, limit: number): Promise<Direct[]> {
  return rows<Direct>(directs, [userId, after, limit]);
}

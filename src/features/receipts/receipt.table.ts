import { selectMayRead } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';

/** Someone in a small place. */
export interface Reader {
  channelId: string;
  userId: string;
  /** They show how far they have read, and are shown it. */
  sends: boolean;
  lastReadSeq: number;
}

/** Where receipts may be: what only single people are let into. */
const isOffered = 'c.deleted_at IS NULL AND c.is_private AND NOT c.view_overridden';
/** One more than a small place has, so that a large one is known as such. */
const readers = `SELECT c.id AS "channelId", p.user_id AS "userId",
    choice.user_id IS NOT NULL AND NOT u.is_bot AND u.deleted_at IS NULL AS sends, coalesce(r.last_read_seq, 0) AS "lastReadSeq"
  FROM channels c CROSS JOIN LATERAL (
    SELECT m.user_id FROM channel_members m WHERE m.channel_id = c.id AND NOT m.excluded LIMIT $2) AS p
  JOIN users u ON u.id = p.user_id LEFT JOIN read_receipt_choices choice ON choice.user_id = p.user_id
  LEFT JOIN channel_reads r ON r.channel_id = c.id AND r.user_id = p.user_id
  WHERE c.id = ANY($1::uuid[]) AND ${isOffered} AND ${selectMayRead('p.user_id')}`;
const blocked = `SELECT user_id AS "from", blocked_id AS "to" FROM blocks
  WHERE user_id = ANY($1::uuid[]) AND blocked_id = ANY($1::uuid[])`;
const choices = 'SELECT user_id AS id FROM read_receipt_choices WHERE user_id = ANY($1::uuid[])';
const turnOn = `INSERT INTO read_receipt_choices (user_id, since) VALUES ($1, now()) ON CONFLICT DO NOTHING RETURNING user_id`;
const turnOff = 'DELETE FROM read_receipt_choices WHERE user_id = $1 RETURNING user_id';
/** Those with the newest logs first; in the others nobody looks at the moment. */
const placesOf = `SELECT c.id FROM channel_members m JOIN channels c ON c.id = m.channel_id
  WHERE m.user_id = $1 AND NOT m.excluded AND ${isOffered} ORDER BY c.id DESC LIMIT $2`;

/**
 * The people of channels in which receipts may be.
 * @param most how many a small place has: of a larger one there are none
 */
export async function readersOf(rows: Rows, channelIds: string[], most: number): Promise<Map<string, Reader[]>> {
  const found = await rows<Reader>(readers, [channelIds, most + 1]);
  const places = Map.groupBy(found, ({ channelId }) => channelId);
  for (const [id, people] of places) if (people.length > most) places.delete(id);
  return places;
}

/** Who among some people has blocked whom. */
export function blocksAmong(rows: Rows, userIds: string[]): Promise<{ from: string; to: string }[]> {
  return rows(blocked, [userIds]);
}

/** Those of some people who send receipts. */
export async function sendersAmong(rows: Rows, userIds: string[]): Promise<Set<string>> {
  return new Set((await rows<{ id: string }>(choices, [userIds])).map(({ id }) => id));
}

/** @returns whether that is new */
export async function choose(rows: Rows, userId: string, sends: boolean): Promise<boolean> {
  return (await rows(sends ? turnOn : turnOff, [userId])).length > 0;
}

/** The channels in which someone's receipts may be shown. */
export async function shownIn(rows: Rows, userId: string, most: number): Promise<string[]> {
  return (await rows<{ id: string }>(placesOf, [userId, most])).map(({ id }) => id);
}

import type { Rows } from '../../database/database.ts';
import { namedSince } from '../messages/bots.table.ts';

/** The number in its channel's log from which a bot takes part in threads that it created, wrote in, or prompted. */
const partIn = `SELECT t.id, CASE WHEN t.creator_id = $1 OR coalesce(p.author_id = $1, false) THEN 0 ELSE
    (SELECT min(m.seq) FROM messages m WHERE m.thread_id = t.id AND m.seq > asked.seen AND m.author_id = $1) END AS since
  FROM unnest($2::uuid[], $3::bigint[]) AS asked (id, seen) JOIN threads t USING (id)
  LEFT JOIN messages p ON p.id = t.parent_message_id`;
/**
 * The number after which events of messages concern a bot, if ever: 0 for its own and replies to them, that of the
 * mention for those that mention or mentioned it. Also the threads of the messages.
 */
const concerning = `SELECT m.seq, m.thread_id AS "threadId", CASE WHEN m.author_id = $1 OR r.author_id = $1 THEN 0
    ELSE ${namedSince('m', '$1::text')} END AS after,
    (m.mentioned_bots ->> ('/' || $1::text))::bigint AS commanded
  FROM messages m LEFT JOIN messages r ON r.channel_id = $2 AND r.id = m.reply_to_id WHERE m.channel_id = $2 AND m.seq = ANY($3::bigint[])`;

/** A message, as far as it concerns a bot. */
export interface Concerned {
  seq: number;
  threadId: string | null;
  after: number | null;
  /** It is a slash command that names the bot. */
  commanded: number | null;
}

/** The messages of a channel with these numbers. */
export function readConcerned(rows: Rows, botUserId: string, channelId: string, seqs: number[]): Promise<Concerned[]> {
  return rows<Concerned>(concerning, [botUserId, channelId, seqs]);
}

/** Since when a bot takes part in threads, if it does. @param threads each with the number up to which it was read before */
export function readParts(
  rows: Rows,
  botUserId: string,
  threads: { id: string; seen: number }[],
): Promise<{ id: string; since: number | null }[]> {
  return rows(partIn, [botUserId, threads.map(({ id }) => id), threads.map(({ seen }) => seen)]);
}

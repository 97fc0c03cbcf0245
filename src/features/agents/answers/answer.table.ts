import { maxLookedThrough } from '../../../contract/agent-feed.ts';
import type { Rows } from '../../../database/database.ts';
import { concernsBot } from '../../messages/bots.table.ts';
import type { Hearing } from '../../messages/hearing.ts';
import { isThere, selectMessages } from '../../messages/message.table.ts';
import type { MessageRow } from '../../messages/message.view.ts';

/** A message of a bot that says what it was made from. */
export interface Answer {
  channelId: string;
  answersTo: number;
  hearing: Hearing;
  /** As PostgreSQL writes it, which is exact. */
  sentAt: string;
}

const answer = `SELECT m.channel_id AS "channelId", m.answers_to AS "answersTo", coalesce(m.answers_within, 'none') AS hearing,
    m.created_at::text AS "sentAt"
  FROM messages m JOIN channels c ON c.id = m.channel_id LEFT JOIN threads t ON t.id = m.thread_id
  WHERE m.id = $1 AND m.author_id = $2 AND m.answers_to IS NOT NULL AND ${isThere}`;

/** The answer of a bot with this id; undefined: there is none. */
export async function findAnswer(rows: Rows, messageId: string, botUserId: string): Promise<Answer | undefined> {
  return (await rows<Answer>(answer, [messageId, botUserId]))[0];
}

const furtherBack = `SELECT m.seq FROM messages m WHERE m.channel_id = $1 AND m.seq < $2
  ORDER BY m.seq DESC OFFSET ${maxLookedThrough} LIMIT 1`;

/** Where the part of a channel begins that is looked through for one page. @returns undefined: at its beginning */
export async function lookedThroughFrom(rows: Rows, channelId: string, before: number): Promise<number | undefined> {
  const [left] = await rows<{ seq: number }>(furtherBack, [channelId, before]);
  return left && left.seq + 1;
}

/** SQL: whether a bot was given a message `m` by what its policy let it have. $3 its user, $4 up to where it had read */
const given: Record<Hearing, string> = {
  all: '$3::uuid IS NOT NULL',
  own: concernsBot('m', '$3::uuid', '$4::bigint'),
  commands: `(m.author_id = $3::uuid OR m.mentioned_bots ? ('/' || $3::uuid::text))`,
  none: 'm.author_id = $3::uuid',
};

/**
 * $1 channel, $2 before which number, $5 how many, $6 when the answer was sent: what was deleted before then nobody read,
 * $7 from which number on.
 */
const context = (
  hearing: Hearing,
) => `SELECT found.*, found.is_deleted OR found.is_edited AND found.updated_at > $6::timestamptz AS "changedSince"
  FROM (${selectMessages} WHERE m.channel_id = $1 AND m.seq < $2 AND m.seq >= $7 AND m.seq <= $4 AND ${given[hearing]}
    AND (m.deleted_at IS NULL OR m.deleted_at > $6::timestamptz) AND (t.deleted_at IS NULL OR t.deleted_at > $6::timestamptz)
    AND c.deleted_at IS NULL ORDER BY m.seq DESC LIMIT $5) AS found ORDER BY found.seq DESC`;
const contexts: Record<Hearing, string> = {
  all: context('all'),
  own: context('own'),
  commands: context('commands'),
  none: context('none'),
};

export type ContextRow = MessageRow & { changedSince: boolean };

/** The messages of a part of the channel that a bot could read when it wrote an answer, newest first. */
export function answerContext(
  rows: Rows,
  { channelId, answersTo, hearing, sentAt }: Answer,
  { botUserId, before, from, limit }: { botUserId: string; before: number; from: number; limit: number },
): Promise<ContextRow[]> {
  return rows<ContextRow>(contexts[hearing], [channelId, before, botUserId, answersTo, limit, sentAt, from]);
}

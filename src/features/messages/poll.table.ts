import type { NewPoll } from '../../contract/poll.ts';
import type { Rows } from '../../database/database.ts';
import { insertPollClosings } from '../../jobs/poll.jobs.ts';

/** A poll as records of messages need it. */
export interface PollRow {
  question: string;
  options: string[];
  counts: number[];
  voterCount: number;
  multiple: boolean;
  anonymous: boolean;
  closesAt: Date | string | null;
  closedAt: Date | string | null;
}

const fields = ['question', 'options', 'counts', 'multiple', 'anonymous'];
const columns = [
  ...fields.map((name) => `'${name}', p.${name}`),
  ...["'voterCount', p.voter_count", "'closesAt', p.closes_at", "'closedAt', p.closed_at"],
].join(', ');

/** SQL for the poll of message `m`, null without one; most messages have nothing of the kind, and are not asked. */
export const pollOfMessage = `CASE WHEN m.has_extras THEN
    (SELECT json_build_object(${columns}) FROM polls p WHERE p.message_id = m.id) END`;

/** A poll that is written with its message. */
export interface SentPoll {
  messageId: string;
  channelId: string;
  createdAt: string;
  poll: NewPoll;
}

const insert = `INSERT INTO polls (message_id, channel_id, question, options, counts, multiple, anonymous, closes_at, created_at)
  SELECT message_id, channel_id, question, texts, array_fill(0, ARRAY[cardinality(texts)]), multiple, anonymous,
    closes_at, created_at
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::json[], $5::boolean[], $6::boolean[], $7::timestamptz[],
      $8::timestamptz[]) AS new (message_id, channel_id, question, options, multiple, anonymous, closes_at, created_at),
    LATERAL (SELECT array_agg(t.text ORDER BY t.at) AS texts
      FROM json_array_elements_text(new.options) WITH ORDINALITY AS t (text, at)) AS o`;

/** Adds the polls of new messages, and what closes those that close by themselves. */
export async function insertPolls(rows: Rows, sent: SentPoll[]): Promise<void> {
  if (sent.length === 0) return;
  await rows(insert, [
    sent.map(({ messageId }) => messageId),
    sent.map(({ channelId }) => channelId),
    sent.map(({ poll }) => poll.question),
    sent.map(({ poll }) => JSON.stringify(poll.options)),
    sent.map(({ poll }) => poll.multiple),
    sent.map(({ poll }) => poll.anonymous),
    sent.map(({ poll }) => poll.closesAt ?? null),
    sent.map(({ createdAt }) => createdAt),
  ]);
  const closing = sent.flatMap(({ messageId, channelId, poll }) =>
    poll.closesAt ? [{ messageId, channelId, at: new Date(poll.closesAt) }] : [],
  );
  await insertPollClosings(rows, closing);
}

import type { z } from 'zod';
import type { Rows } from '../database/database.ts';
import { namedUsers, type reactionSchema } from './reaction.contract.ts';

export type ReactionSummary = z.output<typeof reactionSchema>;

/** The reactions to messages, emoji in the order of their first use, by message id. */
export async function readReactions(rows: Rows, messageIds: string[]): Promise<Map<string, ReactionSummary[]>> {
  const found = await rows<{ message_id: string; emoji: string; count: number; users: string[] }>(
    `SELECT message_id, emoji, count(*)::int AS count, (array_agg(user_id ORDER BY place))[1:$2] AS users
     FROM reactions WHERE message_id = ANY($1::uuid[]) GROUP BY message_id, emoji ORDER BY message_id, min(place)`,
    [messageIds, namedUsers],
  );
  const summaries = new Map<string, ReactionSummary[]>();
  for (const { message_id: id, emoji, count, users } of found) {
    const summary = { emoji, count, users, userIds: users };
    const known = summaries.get(id);
    if (known) known.push(summary);
    else summaries.set(id, [summary]);
  }
  return summaries;
}

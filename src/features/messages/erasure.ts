import type { Rows } from '../../database/database.ts';
import { pipelined } from '../../database/transaction.ts';
import { insertJobs } from '../../jobs/notification.jobs.ts';
import { mentionedBots } from './mentioned-bots.ts';
import { outdate } from './outdated.ts';

interface ErasedMessage {
  id: string;
  seq: number;
}

/**
 * Erases messages, with everything attached to them and their content in the log: later readers of the log find that there
 * was a message, but not what it said. The channel's log must be locked. Notifications that quote them follow in the
 * background.
 *
 * @returns those that existed
 */
export async function eraseMessages(rows: Rows, channelId: string, ids: string[]): Promise<ErasedMessage[]> {
  const erased = await rows<ErasedMessage>(
    `UPDATE messages SET content = '', metadata = NULL, mentions = NULL, mentioned_bots = ${mentionedBots('NULL')},
       pinned_at = NULL, deleted_at = now() WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL RETURNING id, seq`,
    [ids],
  );
  if (erased.length === 0) return [];
  const erasedIds = erased.map((message) => message.id);
  // What takes several steps comes last, so that it stops if one of the others has failed.
  await pipelined([
    rows('DELETE FROM reactions WHERE message_id = ANY($1::uuid[])', [erasedIds]),
    rows('DELETE FROM attachments WHERE message_id = ANY($1::uuid[])', [erasedIds]),
    insertJobs(rows, [{ job: 'erasure', messageIds: erasedIds }]),
    outdate(rows, channelId, erased),
  ]);
  return erased;
}

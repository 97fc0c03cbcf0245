import type { Rows } from '../../database/database.ts';
import { countOf } from '../../database/statements.ts';
import { concernsBot } from './bots.table.ts';
import { isThere, selectMessages } from './message.table.ts';
import type { MessageRow } from './message.view.ts';

const pinnedOnes = (
  which: string,
) => `${selectMessages} WHERE m.channel_id = $1 AND m.pinned_at IS NOT NULL AND ${isThere}
  ${which} ORDER BY m.pinned_at DESC, m.seq DESC`;
const pinned = pinnedOnes('');
/** Those that concern bot $2. */
const pinnedFor = pinnedOnes(`AND ${concernsBot('m', '$2::uuid')}`);

/** The pinned messages of a channel, most recently pinned first. @param bot gets those that concern it; null: all */
export function readPinned(rows: Rows, channelId: string, bot: string | null): Promise<MessageRow[]> {
  return bot === null ? rows<MessageRow>(pinned, [channelId]) : rows<MessageRow>(pinnedFor, [channelId, bot]);
}

/** @returns whether that changed anything */
export async function setPinned(rows: Rows, channelId: string, messageId: string, isPinned: boolean): Promise<boolean> {
  const changed = await rows<{ id: string }>(
    `UPDATE messages SET pinned_at = CASE WHEN $2 THEN clock_timestamp() END
     WHERE channel_id = $3 AND id = $1 AND deleted_at IS NULL AND (pinned_at IS NULL) = $2 RETURNING id`,
    [messageId, isPinned, channelId],
  );
  return changed.length > 0;
}

export function countPinned(rows: Rows, channelId: string): Promise<number> {
  return countOf(rows, 'SELECT count(*)::int AS count FROM messages WHERE channel_id = $1 AND pinned_at IS NOT NULL', [
    channelId,
  ]);
}

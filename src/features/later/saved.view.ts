import type { z } from 'zod';
import type { LaterEntry, savedItemSchema } from '../../contract/later.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { type MessageRow, messageRecord } from '../messages/message.view.ts';
import type { SavedRow } from './saved.table.ts';

/** What the event of it has: no text of others. */
export function savedItem(row: SavedRow): z.output<typeof savedItemSchema> {
  return {
    id: row.id,
    messageId: row.message_id,
    serverId: row.server_id,
    channelId: row.channel_id,
    note: row.note,
    remindAt: isoTimeOrNull(row.remind_at),
    remindedAt: isoTimeOrNull(row.reminded_at),
    isDone: row.done_at !== null,
    doneAt: isoTimeOrNull(row.done_at),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/** @param message its message, if it is there and its user may read it */
export function laterEntry(row: SavedRow, message: MessageRow | undefined): LaterEntry {
  const shown = message && messageRecord(message, row.user_id);
  return { ...savedItem(row), message: shown ?? null, isGone: row.message_id !== null && !shown };
}

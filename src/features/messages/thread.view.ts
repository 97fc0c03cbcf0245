import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { threadSchema } from '../../contract/thread.ts';

/** A row of `threads`. */
export interface ThreadRow {
  id: string;
  channel_id: string;
  name: string;
  parent_message_id: string;
  creator_id: string;
  is_archived: boolean;
  message_count: number;
  last_message_at: Date | string | null;
  created_at: Date | string;
  updated_at: Date | string;
}

export type ThreadRecord = z.output<typeof threadSchema>;

export const threadColumns = `id, channel_id, name, parent_message_id, creator_id, is_archived, message_count,
  last_message_at, created_at, updated_at`;
export const selectThreads = `SELECT ${threadColumns} FROM threads`;

export function threadRecord(row: ThreadRow): ThreadRecord {
  return {
    id: row.id,
    channelId: row.channel_id,
    name: row.name,
    parentMessageId: row.parent_message_id,
    creatorId: row.creator_id,
    isArchived: row.is_archived,
    messageCount: row.message_count,
    lastMessageAt: isoTimeOrNull(row.last_message_at),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

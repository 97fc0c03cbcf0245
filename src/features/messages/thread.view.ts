import type { z } from 'zod';
import type { MentionRecord } from '../../contract/mention.ts';
import { withNames, withoutSpoilers } from '../../contract/quote.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { isoTime, isoTimeOrNull, nameFrom } from '../../contract/schema.ts';
import { type threadSchema, threadUpdated } from '../../contract/thread.ts';
import type { Change } from '../../delivery/changes.ts';
import { renameThreadFrom } from './thread.table.ts';

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

export const untitled = 'Thread';

/** The default name of a thread: the beginning of its message without spoilers, in one line, with names instead of ids. */
export function titleOf(content: string, mentions: readonly MentionRecord[] | null = null): string {
  return nameFrom(withoutSpoilers(withNames(content, mentions)), 100) || untitled;
}

/**
 * Updates the default name of a message's thread after the message was changed: erased text must not live on in it. The
 * channel's log must be locked.
 */
export async function retitle(
  change: Change,
  messageId: string,
  content: string,
  mentions: readonly MentionRecord[] = [],
): Promise<void> {
  const thread = await renameThreadFrom(change.rows, messageId, titleOf(content, mentions));
  if (thread) change.publish(threadUpdated.in(channelRoom(thread.channel_id), threadRecord(thread), thread.id));
}

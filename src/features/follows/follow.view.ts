import type { z } from 'zod';
import type { FollowState, followedThreadSchema, threadStateSchema } from '../../contract/follow.ts';
import { quoteOf } from '../../contract/quote.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { type UserColumnsOrNull, userOrNull } from '../accounts/account.view.ts';
import { type ThreadRow, threadRecord } from '../messages/thread.view.ts';

export type ThreadState = z.output<typeof threadStateSchema>;
type FollowedThread = z.output<typeof followedThreadSchema>;

/** Where a user stands in a thread. */
export interface StateRow {
  userId: string;
  threadId: string;
  channelId: string;
  serverId: string | null;
  parentMessageId: string;
  state: FollowState;
  lastReadSeq: number;
  lastSeq: number;
  unreadCount: number;
  lastMessageAt: Date | string | null;
}

/** A thread with its last reply, and the author of that. */
export interface FollowedRow extends ThreadRow, UserColumnsOrNull {
  channel_name: string;
  reply_id: string | null;
  reply_seq: number | null;
  reply_content: string | null;
  reply_at: Date | string | null;
  author_id: string | null;
}

export function stateRecord({ userId: _, parentMessageId: __, ...row }: StateRow): ThreadState {
  return { ...row, lastMessageAt: isoTimeOrNull(row.lastMessageAt) };
}

export function followedRecord(state: StateRow, row: FollowedRow): FollowedThread {
  return {
    ...stateRecord(state),
    thread: threadRecord(row),
    channelName: row.channel_name,
    lastReply: lastReplyOf(row),
  };
}

function lastReplyOf(row: FollowedRow): FollowedThread['lastReply'] {
  const { reply_id: id, reply_seq: seq, reply_content: content, reply_at: at } = row;
  const author = userOrNull(row.author_id, row);
  if (id === null || seq === null || content === null || at === null || author === null) return null;
  return { id, seq, author, content: quoteOf(content, 200), createdAt: isoTime(at) };
}

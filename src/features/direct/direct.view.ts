import type { z } from 'zod';
import type { dmChannelSchema } from '../../contract/direct.ts';
import { AppError } from '../../contract/errors.ts';
import { quoteOf } from '../../contract/quote.ts';
import { type UserColumnsOrNull, userOrNull } from '../accounts/account.view.ts';
import { type ChannelRow, channelRecord, type GroupColumn } from '../members/channel.view.ts';

export type DmRecord = z.input<typeof dmChannelSchema>;

/** A channel of people with the other user of a DM, or the people of a group, and the unread count. */
export interface DmRow extends ChannelRow, UserColumnsOrNull, GroupColumn {
  other_id: string | null;
  low_id: string | null;
  high_id: string | null;
  preview: string | null;
  last_read_seq: number;
  unread_count: number;
  unread_threads: number;
}

/** @throws AppError CHANNEL_NOT_FOUND for a channel of a server, as a group may have become since it was looked up */
export function dmRecord(row: DmRow): DmRecord {
  const state = {
    lastMessagePreview: row.preview === null ? null : quoteOf(row.preview, 200),
    isMember: true,
    lastReadSeq: row.last_read_seq,
    unreadCount: row.unread_count,
    unreadThreads: row.unread_threads,
  };
  const channel = channelRecord(row);
  if (row.members) return { ...channel, kind: 'group', members: row.members, ...state };
  const otherUser = userOrNull(row.other_id, row);
  if (!row.low_id || !row.high_id || !otherUser) throw new AppError('CHANNEL_NOT_FOUND');
  return { ...channel, kind: 'dm', userAId: row.low_id, userBId: row.high_id, otherUser, ...state };
}

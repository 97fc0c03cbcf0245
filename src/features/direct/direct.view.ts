import type { z } from 'zod';
import type { dmChannelSchema } from '../../contract/direct.ts';
import type { UserColumns } from '../accounts/account.view.ts';
import { userOf } from '../accounts/account.view.ts';
import { type ChannelRow, channelRecord } from '../members/channel.view.ts';

export type DmRecord = z.input<typeof dmChannelSchema>;

/** A row of `dm_channels` with its channel, the other user and the unread count. */
export interface DmRow extends ChannelRow, UserColumns {
  other_id: string;
  low_id: string;
  high_id: string;
  preview: string | null;
  last_read_seq: number;
  unread_count: number;
  unread_threads: number;
}

export function dmRecord(row: DmRow): DmRecord {
  return {
    ...channelRecord(row),
    userAId: row.low_id,
    userBId: row.high_id,
    otherUser: userOf(row.other_id, row),
    lastMessagePreview: row.preview,
    isMember: true,
    lastReadSeq: row.last_read_seq,
    unreadCount: row.unread_count,
    unreadThreads: row.unread_threads,
  };
}

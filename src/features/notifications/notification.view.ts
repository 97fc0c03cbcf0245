import type { z } from 'zod';
import { errorCodes } from '../../contract/error-codes.ts';
import type { NotificationKind, NotificationType, notificationSchema } from '../../contract/notification.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { type UserColumnsOrNull, userOrNull } from '../accounts/account.view.ts';

export type NotificationRecord = z.input<typeof notificationSchema>;

/** A row of `notifications` with its sender. */
export interface NotificationRow extends UserColumnsOrNull {
  id: string;
  user_id: string;
  type: NotificationType;
  kind: NotificationKind;
  title: string;
  body: string;
  reference_type: string | null;
  reference_id: string | null;
  sender_id: string | null;
  server_id: string | null;
  channel_id: string | null;
  aggregated_count: number;
  read_at: Date | string | null;
  created_at: Date | string;
  updated_at: Date | string;
}

/** The code of the error that a notification tells of, to say it in another language. */
export function failureIn({ kind, body }: Pick<NotificationRow, 'kind' | 'body'>): { code?: string } {
  if (kind !== 'message.not_sent') return {};
  const [code] = Object.entries(errorCodes).find(([, [, sentence]]) => sentence === body) ?? [];
  return code === undefined ? {} : { code };
}

export function notificationRecord(row: NotificationRow): NotificationRecord {
  return {
    id: row.id,
    userId: row.user_id,
    type: row.type,
    kind: row.kind,
    title: row.title,
    body: row.body,
    ...failureIn(row),
    referenceType: row.reference_type,
    referenceId: row.reference_id,
    senderId: row.sender_id,
    sender: userOrNull(row.sender_id, row),
    serverId: row.server_id,
    channelId: row.channel_id,
    isRead: row.read_at !== null,
    readAt: isoTimeOrNull(row.read_at),
    aggregatedCount: row.aggregated_count,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

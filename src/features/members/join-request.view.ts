import type { z } from 'zod';
import type { joinRequestSchema } from '../../contract/join-request.ts';
import { isoTime } from '../../contract/schema.ts';
import { type UserColumns, userOf } from '../accounts/account.view.ts';

export type JoinRequestRecord = z.output<typeof joinRequestSchema>;

export interface RequestRow extends UserColumns {
  id: string;
  server_id: string;
  channel_id: string | null;
  user_id: string;
  status: JoinRequestRecord['status'];
  created_at: Date | string;
  updated_at: Date | string;
}

export const selectRequest = `SELECT j.id, j.server_id, j.channel_id, j.user_id, j.status, j.created_at, j.updated_at,
  u.username, u.display_name, u.avatar_url, u.is_bot FROM join_requests j JOIN users u ON u.id = j.user_id`;

export function requestRecord(row: RequestRow): JoinRequestRecord {
  return {
    id: row.id,
    serverId: row.server_id,
    channelId: row.channel_id,
    userId: row.user_id,
    user: userOf(row.user_id, row),
    status: row.status,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

import type { z } from 'zod';
import { isoTime } from '../schema.ts';
import type { joinRequestSchema } from './join-request.contract.ts';

export type JoinRequestRecord = z.output<typeof joinRequestSchema>;

export interface RequestRow {
  id: string;
  username: string;
  display_name: string;
  avatar_url: string | null;
  is_bot: boolean;
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
    user: {
      id: row.user_id,
      username: row.username,
      displayName: row.display_name,
      avatarUrl: row.avatar_url,
      isBot: row.is_bot,
    },
    status: row.status,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

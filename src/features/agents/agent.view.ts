import type { z } from 'zod';
import type { AgentStatus, agentSchema } from '../../contract/agent.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { type UserColumns, userOf } from '../accounts/account.view.ts';

/** A row of `agents` with its bot user. */
export interface AgentRow extends Omit<UserColumns, 'is_bot'> {
  id: string;
  user_id: string;
  owner_id: string;
  status: AgentStatus;
  config: Record<string, unknown>;
  last_heartbeat: Date | string | null;
  online_seconds: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export type AgentRecord = z.input<typeof agentSchema>;

export function agentRecord(row: AgentRow): AgentRecord {
  return {
    id: row.id,
    userId: row.user_id,
    ownerId: row.owner_id,
    name: row.username,
    displayName: row.display_name,
    avatarUrl: row.avatar_url,
    status: row.status,
    lastHeartbeat: isoTimeOrNull(row.last_heartbeat),
    totalOnlineSeconds: Math.floor(row.online_seconds),
    config: row.config,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    botUser: userOf(row.user_id, { ...row, is_bot: true }),
  };
}

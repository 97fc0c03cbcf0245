import type { z } from 'zod';
import type { agentSchema } from '../../contract/agent.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { userOf } from '../accounts/account.view.ts';
import type { AgentRow } from '../accounts/agent.access.ts';

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

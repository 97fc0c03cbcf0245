import type { z } from 'zod';
import type { agentSchema } from '../../contract/agent.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { Agent } from '../../database/entities/agent.entity.ts';
import type { User } from '../../database/entities/user.entity.ts';
import { smallUser } from '../accounts/account.view.ts';
import type { AgentRow } from '../accounts/agent.access.ts';

export type AgentRecord = z.input<typeof agentSchema>;

/** @param bot the agent's user; in a row of both it is the row */
export function agentRecord(agent: Agent | AgentRow, bot: User | AgentRow): AgentRecord {
  const { id, userId, ownerId, status, lastHeartbeat, onlineSeconds, config, createdAt, updatedAt } = agent;
  const { username, displayName, avatarUrl = null } = bot;
  return {
    id,
    userId,
    ownerId,
    name: username,
    displayName,
    avatarUrl,
    status,
    lastHeartbeat: isoTimeOrNull(lastHeartbeat),
    totalOnlineSeconds: Math.floor(Number(onlineSeconds)),
    config,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    botUser: smallUser({ id: userId, username, displayName, avatarUrl, isBot: true }),
  };
}

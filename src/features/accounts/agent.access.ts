import type { Actor } from '../../contract/actor.ts';
import type { AgentStatus } from '../../contract/agent.ts';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import type { UserColumns } from './account.view.ts';

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

export const selectAgents = `SELECT a.id, a.user_id, a.owner_id, a.status, a.config, a.last_heartbeat, a.online_seconds,
  a.created_at, a.updated_at, u.username, u.display_name, u.avatar_url FROM agents a JOIN users u ON u.id = a.user_id`;
const oneAgent = `${selectAgents} WHERE a.id = $1 AND u.deleted_at IS NULL`;

const ownBot = 'SELECT id FROM agents WHERE user_id = $1 AND owner_id = $2';

/** Whether the actor owns the agent of this bot user. */
export async function ownsBot(rows: Rows, actor: Actor, botUserId: string): Promise<boolean> {
  return (await rows(ownBot, [botUserId, actor.userId])).length > 0;
}

/** The only way to access an agent on behalf of someone. Other people's agents do not exist (contract §2). */
export class AgentAccess {
  private readonly rows: Rows;

  constructor(rows: Rows) {
    this.rows = rows;
  }

  /** An agent that the actor may read: its owner and the bot itself. @throws AppError AGENT_NOT_FOUND */
  async readable(actor: Actor, agentId: string): Promise<AgentRow> {
    const agent = await this.find(agentId);
    if (agent.owner_id !== actor.userId && agent.user_id !== actor.userId) throw new AppError('AGENT_NOT_FOUND');
    return agent;
  }

  /** An agent that the actor owns. @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself */
  async owned(actor: Actor, agentId: string): Promise<AgentRow> {
    const agent = await this.readable(actor, agentId);
    if (agent.owner_id === actor.userId) return agent;
    throw new AppError('FORBIDDEN', { message: "Only the bot's owner may do this." });
  }

  /** The agent that the actor is. @throws AppError AGENT_NOT_FOUND, FORBIDDEN for its owner */
  async itself(actor: Actor, agentId: string): Promise<AgentRow> {
    const agent = await this.readable(actor, agentId);
    if (agent.user_id === actor.userId) return agent;
    throw new AppError('FORBIDDEN', { message: 'Only the bot itself may do this, with its own token.' });
  }

  /** Any agent; the caller checks the actor's relation to it. @throws AppError AGENT_NOT_FOUND */
  async find(agentId: string): Promise<AgentRow> {
    const [agent] = await this.rows<AgentRow>(oneAgent, [agentId]);
    if (!agent) throw new AppError('AGENT_NOT_FOUND');
    return agent;
  }
}

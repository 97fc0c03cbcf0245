import type { EntityManager } from '@mikro-orm/postgresql';
import type { InferResult } from 'kysely';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { Database, Queries } from '../../database/database.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import { forUpdate } from '../../database/queries.ts';

/** Agents with their bot users. */
export function selectAgents(db: Queries) {
  return db
    .selectFrom('Agent as a')
    .innerJoin('User as u', 'u.id', 'a.userId')
    .where('u.deletedAt', 'is', null)
    .select(['a.id', 'a.userId', 'a.ownerId', 'a.status', 'a.config', 'a.lastHeartbeat', 'a.onlineSeconds'])
    .select(['a.createdAt', 'a.updatedAt', 'u.username', 'u.displayName', 'u.avatarUrl'])
    .$narrowType<{ config: Record<string, unknown> }>();
}

export type AgentRow = InferResult<ReturnType<typeof selectAgents>>[number];

/** Whether the actor owns the agent of this bot user. */
export async function ownsBot(db: Queries, actor: Actor, botUserId: string): Promise<boolean> {
  const own = db.selectFrom('Agent').where('userId', '=', botUserId).where('ownerId', '=', actor.userId);
  return (await own.select('id').executeTakeFirst()) !== undefined;
}

/** Locks an agent until the commit: changes of it and of its policies run one at a time. @throws AppError AGENT_NOT_FOUND */
export async function lockAgent(em: EntityManager, agentId: string): Promise<Agent> {
  const agent = await em.findOne(Agent, agentId, forUpdate);
  if (!agent) throw new AppError('AGENT_NOT_FOUND');
  return agent;
}

/** The only way to access an agent on behalf of someone. Other people's agents do not exist (contract §2). */
export class AgentAccess {
  private readonly database: Pick<Database, 'db'>;

  constructor(database: Pick<Database, 'db'>) {
    this.database = database;
  }

  /** An agent that the actor may read: its owner and the bot itself. @throws AppError AGENT_NOT_FOUND */
  async readable(actor: Actor, agentId: string): Promise<AgentRow> {
    const agent = await this.find(agentId);
    if (agent.ownerId !== actor.userId && agent.userId !== actor.userId) throw new AppError('AGENT_NOT_FOUND');
    return agent;
  }

  /** An agent that the actor owns. @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself */
  async owned(actor: Actor, agentId: string): Promise<AgentRow> {
    const agent = await this.readable(actor, agentId);
    if (agent.ownerId === actor.userId) return agent;
    throw new AppError('FORBIDDEN', { message: "Only the bot's owner may do this." });
  }

  /** The agent that the actor is. @throws AppError AGENT_NOT_FOUND, FORBIDDEN for its owner */
  async itself(actor: Actor, agentId: string): Promise<AgentRow> {
    const agent = await this.readable(actor, agentId);
    if (agent.userId === actor.userId) return agent;
    throw new AppError('FORBIDDEN', { message: 'Only the bot itself may do this, with its own token.' });
  }

  /** Any agent; the caller checks the actor's relation to it. @throws AppError AGENT_NOT_FOUND */
  async find(agentId: string): Promise<AgentRow> {
    const agent = await selectAgents(this.database.db).where('a.id', '=', agentId).executeTakeFirst();
    if (!agent) throw new AppError('AGENT_NOT_FOUND');
    return agent;
  }
}

/** Holds an agent whose owner acts, until the commit. @throws AppError AGENT_NOT_FOUND if it was handed over meanwhile */
export async function holdOwned(db: Queries, { id, ownerId }: Pick<AgentRow, 'id' | 'ownerId'>): Promise<void> {
  const owned = db.selectFrom('Agent').where('id', '=', id).where('ownerId', '=', ownerId);
  if (!(await owned.select('id').forNoKeyUpdate().executeTakeFirst())) throw new AppError('AGENT_NOT_FOUND');
}

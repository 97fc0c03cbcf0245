import type { Caches } from '../../cluster/caches.ts';
import type { Actor } from '../../contract/actor.ts';
import type { AgentStatus } from '../../contract/agent.ts';
import { AppError } from '../../contract/errors.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import { clock } from '../../infrastructure/clock.ts';
import { type KnownAgent, type KnownAgentToken, readAgent, readAgentToken } from './identity.table.ts';
import { userCache } from './identity.ts';
import { requireActive } from './standing.ts';

const agentCache = 'agents';
const tokenCache = 'agent-tokens';

export interface AgentProfile {
  id: string;
  ownerId: string;
  status: AgentStatus;
  lastHeartbeat: string | null;
}

/** Identifies the bot behind a token (contract §4). Everything comes from caches that each change drops on all nodes. */
export class AgentIdentity {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly agents: Cache<KnownAgent>;
  private readonly tokens: Cache<KnownAgentToken>;

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.caches = caches;
    this.agents = caches.create(agentCache, 20_000);
    this.tokens = caches.create(tokenCache, 20_000);
  }

  /**
   * The agent of a bot's token, and when (in ms) the token expires.
   * @throws AppError ACCESS_TOKEN_INVALID, ACCOUNT_SUSPENDED of its owner, AGENT_STOPPED
   */
  async require(userId: string, tokenId: string): Promise<{ id: string; endsAt: number }> {
    const [agent, token] = await Promise.all([this.find(userId), this.token(tokenId)]);
    if (!agent || token?.agentId !== agent.id || token.endsAt <= clock.now())
      throw new AppError('ACCESS_TOKEN_INVALID');
    requireActive(agent.standing);
    if (agent.status === 'stopped') throw new AppError('AGENT_STOPPED');
    return { id: agent.id, endsAt: token.endsAt };
  }

  /** Whether everything that `require` reads is cached and valid. */
  isCurrent(userId: string, tokenId: string): boolean {
    const agent = this.agents.peek(userId);
    const token = this.tokens.peek(tokenId);
    if (!agent || agent.status === 'stopped' || agent.standing.suspended) return false;
    return token?.agentId === agent.id && token.endsAt > clock.now();
  }

  /** A bot as an actor without a token, for deliveries to it. Undefined when it is stopped or gone, or its owner suspended. */
  async actor(userId: string): Promise<Actor | undefined> {
    const agent = await this.find(userId);
    return agent && agent.status !== 'stopped' && !agent.standing.suspended ? actorOf(agent) : undefined;
  }

  /** The agent of a bot user. */
  async find(userId: string): Promise<KnownAgent | undefined> {
    return this.agents.get(userId, () => readAgent(this.database.committedRows, userId));
  }

  /** Public facts about the agent behind a bot (contract §3). */
  async profile(userId: string): Promise<AgentProfile | undefined> {
    const agent = await this.database.read((em) => em.findOne(Agent, { userId }));
    if (!agent) return undefined;
    const { id, ownerId, status, lastHeartbeat } = agent;
    return { id, ownerId, status, lastHeartbeat: isoTimeOrNull(lastHeartbeat) };
  }

  /** Makes all nodes reread a bot. */
  async forget(userId: string): Promise<void> {
    await Promise.all([this.caches.forget(agentCache, [userId]), this.caches.forget(userCache, [userId])]);
  }

  /** Makes all nodes reread tokens. */
  forgetTokens(tokenIds: string[]): Promise<void> {
    return this.caches.forget(tokenCache, tokenIds);
  }

  private async token(tokenId: string): Promise<KnownAgentToken | undefined> {
    return this.tokens.get(tokenId, () => readAgentToken(this.database.committedRows, tokenId));
  }
}

/** The bot of an agent, with the rights of its token. */
export function actorOf(agent: KnownAgent): Actor {
  const { id, user, tier } = agent;
  const came = {
    sessionId: null,
    secondFactor: false,
    personalTokenId: null,
    agent: { id, tokenId: null },
    scopes: null,
    expiresAt: null,
  };
  return { userId: user.id, user, tier, ...came };
}

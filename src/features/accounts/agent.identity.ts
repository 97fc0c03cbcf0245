import type { Caches } from '../../cluster/caches.ts';
import type { Actor, SmallUser } from '../../contract/actor.ts';
import type { AgentStatus } from '../../contract/agent.ts';
import { AppError } from '../../contract/errors.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import { clock } from '../../infrastructure/clock.ts';
import { userCache } from './identity.ts';
import { requireActive, type Standing } from './standing.ts';

/** What every node caches about an active bot. */
export interface KnownAgent {
  id: string;
  ownerId: string;
  status: AgentStatus;
  user: SmallUser;
  tier: string;
  /** The owner's, which applies to the bot too. */
  standing: Standing;
}

interface KnownToken {
  agentId: string;
  /** In ms since 1970. */
  endsAt: number;
}

const agentCache = 'agents';
const tokenCache = 'agent-tokens';

const selectAgent = `SELECT a.id AS "agentId", a.owner_id AS "ownerId", a.status, u.id, u.username,
  u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.is_bot AS "isBot", u.tier,
  o.suspended_at IS NOT NULL AS suspended, o.suspension_reason AS "suspensionReason"
  FROM agents a JOIN users u ON u.id = a.user_id JOIN users o ON o.id = a.owner_id
  WHERE a.user_id = $1 AND u.deleted_at IS NULL`;

const selectProfile = `SELECT id, owner_id AS "ownerId", status, last_heartbeat AS "lastHeartbeat" FROM agents
  WHERE user_id = $1`;

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
  private readonly tokens: Cache<KnownToken>;

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
    return this.agents.get(userId, async () => {
      const [row] = await this.database.committedRows<AgentRow>(selectAgent, [userId]);
      if (!row) return undefined;
      const { agentId, ownerId, status, tier, suspended, suspensionReason, ...user } = row;
      return { id: agentId, ownerId, status, tier, user, standing: { suspended, suspensionReason } };
    });
  }

  /** Public facts about the agent behind a bot (contract §3). */
  async profile(userId: string): Promise<AgentProfile | undefined> {
    const [row] = await this.database.rows<
      Omit<AgentProfile, 'lastHeartbeat'> & { lastHeartbeat: Date | string | null }
    >(selectProfile, [userId]);
    return row && { ...row, lastHeartbeat: isoTimeOrNull(row.lastHeartbeat) };
  }

  /** Makes all nodes reread a bot. */
  async forget(userId: string): Promise<void> {
    await Promise.all([this.caches.forget(agentCache, [userId]), this.caches.forget(userCache, [userId])]);
  }

  /** Makes all nodes reread tokens. */
  forgetTokens(tokenIds: string[]): Promise<void> {
    return this.caches.forget(tokenCache, tokenIds);
  }

  private async token(tokenId: string): Promise<KnownToken | undefined> {
    return this.tokens.get(tokenId, async () => {
      const [row] = await this.database.committedRows<KnownToken>(
        `SELECT agent_id AS "agentId", (extract(epoch FROM ends_at) * 1000)::float8 AS "endsAt"
         FROM agent_tokens WHERE id = $1`,
        [tokenId],
      );
      return row;
    });
  }
}

/** The bot of an agent, with the rights of its token. */
export function actorOf(agent: KnownAgent): Actor {
  const { id, user, tier } = agent;
  const came = {
    sessionId: null,
    personalTokenId: null,
    agent: { id, tokenId: null },
    scope: 'full' as const,
    expiresAt: null,
  };
  return { userId: user.id, user, tier, ...came };
}

interface AgentRow extends SmallUser, Standing {
  agentId: string;
  ownerId: string;
  status: AgentStatus;
  tier: string;
}

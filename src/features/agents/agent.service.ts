import type { z } from 'zod';
import { anyUserById, lockUser } from '../../access/user.table.ts';
import { deletedUsernameKey, usernameKey } from '../../contract/account.ts';
import type { Actor, SmallUser } from '../../contract/actor.ts';
import type {
  AgentStatus,
  agentWithTokenSchema,
  createAgentSchema,
  heartbeatAnswerSchema,
  heartbeatSchema,
  updateAgentSchema,
} from '../../contract/agent.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import { countOf } from '../../database/statements.ts';
import type { Change } from '../../delivery/changes.ts';
import { createStream } from '../../delivery/log.ts';
import { newId } from '../../infrastructure/ids.ts';
import { type AgentAccess, type AgentRow, selectAgents } from '../accounts/agent.access.ts';
import type { AgentIdentity } from '../accounts/agent.identity.ts';
import { namingConflicts } from '../accounts/new-user.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import type { AgentTokens } from './agent.tokens.ts';
import { uptime } from './agent.uptime.ts';
import { type AgentRecord, agentRecord } from './agent.view.ts';

const byId = `${selectAgents} WHERE a.id = $1`;
const ofOwner = `${selectAgents} WHERE a.owner_id = $1 AND u.deleted_at IS NULL ORDER BY a.created_at, a.id LIMIT 1000`;
const countOwned = 'SELECT count(*)::int AS count FROM agents WHERE owner_id = $1';
const beat = `UPDATE agents SET ${uptime}, last_seen_at = now(), last_heartbeat = now(), status = coalesce($3, status)
  WHERE id = $1 AND status <> 'stopped' RETURNING status, last_heartbeat AS "lastHeartbeat"`;
const setStatus = `UPDATE agents SET ${uptime}, last_seen_at = NULL, status = $3, updated_at = now() WHERE id = $1`;
const setProfile = `UPDATE users SET username = coalesce($2, username), username_key = coalesce($6, username_key),
  display_name = coalesce($3, display_name), avatar_url = CASE WHEN $4 THEN $5 ELSE avatar_url END, updated_at = now()
  WHERE id = $1 AND (username <> coalesce($2, username) OR display_name <> coalesce($3, display_name)
    OR $4 AND avatar_url IS DISTINCT FROM $5) RETURNING id`;
const setConfig = `UPDATE agents SET config = $2::json, updated_at = now()
  WHERE id = $1 AND config::jsonb IS DISTINCT FROM $2::jsonb`;
/** Locks the user too, so that nobody adds it to a server meanwhile (see Roster). */
const lockWithUser = 'SELECT a.id FROM agents a JOIN users u ON u.id = a.user_id WHERE a.id = $1 FOR UPDATE';
const anonymise = `UPDATE users SET deleted_at = now(), username = 'deleted-' || right(replace(id::text, '-', ''), 20),
  username_key = $2, display_name = 'Deleted user', avatar_url = NULL, updated_at = now() WHERE id = $1`;

/** The online status that others see (contract §9). */
export interface AgentPresence {
  /** A heartbeat that is valid for `seconds`. */
  heartbeat(userId: string, seconds: number): Promise<void>;
  /** Offline at once, without a grace period. */
  goodbye(userId: string): Promise<void>;
  /** The rooms that get changes of its name and picture. */
  roomsOf(userId: string): Promise<string[]>;
  /** Announces its name and picture, in its current rooms by default. */
  introduce(user: SmallUser, rooms?: string[]): Promise<void>;
}

/** Takes a user out of everything it belongs to, as part of a change. */
export type LeaveAll = (change: Change, userId: string) => Promise<void>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'control' | 'directAccess' | 'settings'> {
  agentAccess: AgentAccess;
  agentIdentity: AgentIdentity;
  agentTokens: AgentTokens;
  leaveAll: LeaveAll;
  presence: AgentPresence;
}

/** Bots and their life cycle (contract §4). */
export class AgentService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Creates a bot, running, with its first token.
   * @throws AppError USERNAME_TAKEN, AGENT_LIMIT, INSUFFICIENT_PAT_SCOPE, FORBIDDEN for bots
   */
  async create(actor: Actor, input: z.output<typeof createAgentSchema>): Promise<z.input<typeof agentWithTokenSchema>> {
    if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no bots of their own.' });
    const session = ownSession(actor);
    return namingConflicts(false, () =>
      this.deps.changes.run(async (change) => {
        await lockUser(change.rows, actor.userId);
        await holdSession(change, session);
        const owned = await countOf(change.rows, countOwned, [actor.userId]);
        if (owned >= this.deps.settings.agents.maxPerOwner) throw new AppError('AGENT_LIMIT');
        const agent = await this.insert(change, actor, input);
        const token = await this.deps.agentTokens.issue(change, { ...agent, ownerId: actor.userId }, session);
        return { ...(await this.record(change.rows, agent.id)), token };
      }),
    );
  }

  /** The actor's bots, in order of creation. */
  async own(actor: Actor): Promise<AgentRecord[]> {
    const rows = await this.deps.database.rows<AgentRow>(ofOwner, [actor.userId]);
    return rows.map(agentRecord);
  }

  /** For its owner, and the bot itself. @throws AppError AGENT_NOT_FOUND */
  async get(actor: Actor, agentId: string): Promise<AgentRecord> {
    return agentRecord(await this.deps.agentAccess.readable(actor, agentId));
  }

  /** @throws AppError AGENT_NOT_FOUND, USERNAME_TAKEN */
  async update(actor: Actor, agentId: string, input: z.output<typeof updateAgentSchema>): Promise<AgentRecord> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const { name, displayName, avatarUrl, config } = input;
    return namingConflicts(false, () =>
      this.deps.changes.run(async (change) => {
        const picture = [avatarUrl !== undefined, avatarUrl ?? null];
        const key = name === undefined ? null : usernameKey(name);
        const values = [agent.user_id, name ?? null, displayName ?? null, ...picture, key];
        const isIntroduced = (await change.rows(setProfile, values)).length > 0;
        if (config) await change.rows(setConfig, [agentId, JSON.stringify(config)]);
        const record = await this.record(change.rows, agentId);
        change.afterCommit(() => this.deps.agentIdentity.forget(agent.user_id));
        if (isIntroduced) change.afterCommit(() => this.deps.presence.introduce(record.botUser));
        return record;
      }),
    );
  }

  /** Deletes a bot: its tokens and memberships end at once; what it wrote stays, by a deleted user (contract §4). */
  async delete(actor: Actor, agentId: string): Promise<void> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    // Read before it leaves them: its messages stay there, under another name.
    const rooms = await this.deps.presence.roomsOf(agent.user_id);
    await this.deps.changes.run(async (change) => {
      const held = await change.rows(lockWithUser, [agentId]);
      if (held.length === 0) throw new AppError('AGENT_NOT_FOUND');
      const tokenIds = await this.deps.agentTokens.idsOf(change, agentId);
      await this.deps.leaveAll(change, agent.user_id);
      await change.rows('DELETE FROM agents WHERE id = $1', [agentId]);
      await change.rows(anonymise, [agent.user_id, deletedUsernameKey(agent.user_id)]);
      const deleted = await anyUserById(change.rows, agent.user_id);
      change.afterCommit(() => this.deps.agentIdentity.forgetTokens(tokenIds));
      change.afterCommit(() => this.deps.directAccess.forgetAllOf(agent.user_id));
      change.afterCommit(() => this.dismiss(agent.user_id));
      change.afterCommit(() => this.deps.presence.introduce(deleted, rooms));
    });
  }

  /**
   * A new token; older ones remain valid for ten minutes, and a webhook is paused until the owner confirms it.
   * @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself, INSUFFICIENT_PAT_SCOPE
   */
  async newToken(actor: Actor, agentId: string): Promise<{ token: string }> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const session = ownSession(actor);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      await holdSession(change, session);
      const { user_id: userId, owner_id: ownerId } = agent;
      return { token: await this.deps.agentTokens.issue(change, { id: agentId, userId, ownerId }, session) };
    });
  }

  /** Enables a bot's tokens (again). */
  async start(actor: Actor, agentId: string): Promise<AgentRecord & { ok: true }> {
    return this.setStatus(actor, agentId, 'running');
  }

  /** Refuses a bot's tokens and closes its sockets, on all nodes before the response (contract §4). */
  async stop(actor: Actor, agentId: string): Promise<AgentRecord & { ok: true }> {
    return this.setStatus(actor, agentId, 'stopped');
  }

  /** A heartbeat of the bot. @throws AppError AGENT_NOT_FOUND, AGENT_STOPPED, FORBIDDEN for anyone else */
  async heartbeat(
    actor: Actor,
    agentId: string,
    input: z.output<typeof heartbeatSchema>,
  ): Promise<z.input<typeof heartbeatAnswerSchema>> {
    const { user_id: userId } = await this.deps.agentAccess.itself(actor, agentId);
    const { heartbeatSeconds } = this.deps.settings.agents;
    const [alive] = await this.deps.changes.run(({ rows }) =>
      rows<{ status: AgentStatus; lastHeartbeat: Date | string }>(beat, [
        agentId,
        heartbeatSeconds,
        input.status ?? null,
      ]),
    );
    if (!alive) throw new AppError('AGENT_STOPPED');
    await this.deps.presence.heartbeat(userId, heartbeatSeconds);
    const lastHeartbeat = isoTime(alive.lastHeartbeat);
    const expiresAt = isoTime(new Date(Date.parse(lastHeartbeat) + heartbeatSeconds * 1000));
    return { ok: true, status: alive.status, lastHeartbeat, expiresAt };
  }

  /** A heartbeat of the calling bot. @throws AppError FORBIDDEN for people, and as `heartbeat` */
  async ownHeartbeat(
    actor: Actor,
    input: z.output<typeof heartbeatSchema>,
  ): Promise<z.input<typeof heartbeatAnswerSchema>> {
    if (!actor.agent) throw new AppError('FORBIDDEN', { message: 'Only bots have heartbeats.' });
    return this.heartbeat(actor, actor.agent.id, input);
  }

  private async setStatus(actor: Actor, agentId: string, status: AgentStatus): Promise<AgentRecord & { ok: true }> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    if (agent.status === status) return { ok: true, ...agentRecord(agent) };
    return this.deps.changes.run(async (change) => {
      await change.rows(setStatus, [agentId, this.deps.settings.agents.heartbeatSeconds, status]);
      change.afterCommit(() =>
        status === 'stopped' ? this.dismiss(agent.user_id) : this.deps.agentIdentity.forget(agent.user_id),
      );
      return { ok: true, ...(await this.record(change.rows, agentId)) };
    });
  }

  /** After this no node accepts the bot, and none has a socket of it. */
  private async dismiss(userId: string): Promise<void> {
    const forgotten = this.deps.agentIdentity.forget(userId);
    await Promise.all([forgotten, this.deps.control.send({ kind: 'disconnect', userId, event: null })]);
    await this.deps.presence.goodbye(userId);
  }

  private async insert(
    change: Change,
    actor: Actor,
    input: z.output<typeof createAgentSchema>,
  ): Promise<{ id: string; userId: string }> {
    const [id, userId] = [newId(), newId()];
    change.em.create(User, {
      id: userId,
      username: input.name,
      usernameKey: usernameKey(input.name),
      displayName: input.displayName ?? input.name,
      avatarUrl: input.avatarUrl ?? null,
      isBot: true,
      // Bots have no capabilities, even where new accounts get some (contract §13).
      tier: this.deps.settings.accounts.tiers[0]?.id ?? this.deps.settings.newAccountTier,
    });
    await change.em.flush();
    await createStream(change.rows, userRoom(userId));
    change.em.create(Agent, { id, userId, ownerId: actor.userId, status: 'running', config: input.config ?? {} });
    await change.em.flush();
    return { id, userId };
  }

  private async record(rows: Rows, agentId: string): Promise<AgentRecord> {
    const [row] = await rows<AgentRow>(byId, [agentId]);
    if (!row) throw new AppError('AGENT_NOT_FOUND');
    return agentRecord(row);
  }
}

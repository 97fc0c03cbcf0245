import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
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
import { validated } from '../../contract/schema/validation.ts';
import { isoTime } from '../../contract/schema.ts';
import { usernameSchema } from '../../contract/username.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { createStream } from '../../delivery/log.ts';
import { newId } from '../../infrastructure/ids.ts';
import { smallUser } from '../accounts/account.view.ts';
import { type AgentAccess, lockAgent, selectAgents } from '../accounts/agent.access.ts';
import type { AgentIdentity } from '../accounts/agent.identity.ts';
import { anonymise } from '../accounts/anonymous.ts';
import { namingConflicts } from '../accounts/new-user.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import { claimUsername } from '../accounts/usernames.table.ts';
import type { GroupMembers } from '../channels/group-members.ts';
import type { Context } from '../context.ts';
import type { PictureService } from '../pictures/picture.service.ts';
import { dropPlans, recordHeartbeat, setAgentStatus } from './agent.table.ts';
import type { AgentTokens } from './agent.tokens.ts';
import { type AgentRecord, agentRecord } from './agent.view.ts';

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

/** A deleted bot leaves so many groups; in any others it is seen as a deleted user. */
const mostGroups = 200;

const newNameSchema = z.object({ name: usernameSchema });

/** Takes a user out of everything it belongs to, as part of a change. */
export type LeaveAll = (change: Change, userId: string) => Promise<void>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'control' | 'directAccess' | 'settings'> {
  agentAccess: AgentAccess;
  agentIdentity: AgentIdentity;
  agentTokens: AgentTokens;
  leaveAll: LeaveAll;
  groupMembers: GroupMembers;
  presence: AgentPresence;
  pictures: PictureService;
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
    const avatarUrl = await this.deps.pictures.settled(actor, input.avatarUrl, 'square', 'avatarUrl');
    return namingConflicts(false, () =>
      this.deps.changes.run(async (change) => {
        await lockUser(change.rows, actor.userId);
        await holdSession(change, session);
        const owned = await change.em.count(Agent, { ownerId: actor.userId });
        if (owned >= this.deps.settings.agents.maxPerOwner) throw new AppError('AGENT_LIMIT');
        const { agent, bot } = await this.insert(change, actor, { ...input, avatarUrl });
        const token = await this.deps.agentTokens.issue(change, agent, session);
        return { ...agentRecord(agent, bot), token };
      }),
    );
  }

  /** The actor's bots, in order of creation. */
  async own(actor: Actor): Promise<AgentRecord[]> {
    const own = selectAgents(this.deps.database.db).where('a.ownerId', '=', actor.userId);
    const agents = await own.orderBy('a.createdAt').orderBy('a.id').limit(1000).execute();
    return agents.map((agent) => agentRecord(agent, agent));
  }

  /** For its owner, and the bot itself. @throws AppError AGENT_NOT_FOUND */
  async get(actor: Actor, agentId: string): Promise<AgentRecord> {
    const agent = await this.deps.agentAccess.readable(actor, agentId);
    return agentRecord(agent, agent);
  }

  /** @throws AppError AGENT_NOT_FOUND, USERNAME_TAKEN */
  async update(actor: Actor, agentId: string, input: z.output<typeof updateAgentSchema>): Promise<AgentRecord> {
    const { userId } = await this.deps.agentAccess.owned(actor, agentId);
    const { name, displayName, config } = input;
    const avatarUrl = await this.deps.pictures.settled(actor, input.avatarUrl, 'square', 'avatarUrl');
    return namingConflicts(false, () =>
      this.deps.changes.run(async (change) => {
        const agent = await lockAgent(change.em, agentId);
        const bot = await change.em.findOneOrFail(User, userId);
        const before = smallUser(bot);
        // A name of an earlier version stays, also where it is sent along.
        if (name !== undefined && name !== bot.username) {
          const renamed = validated(newNameSchema, { name });
          Object.assign(bot, await claimUsername(change.rows, userId, renamed.name));
        }
        if (displayName !== undefined) bot.displayName = displayName;
        if (avatarUrl !== undefined) bot.avatarUrl = avatarUrl;
        if (config && !isDeepStrictEqual(config, agent.config)) agent.config = config;
        await change.em.flush();
        const after = smallUser(bot);
        change.afterCommit(() => this.deps.agentIdentity.forget(userId));
        if (!isDeepStrictEqual(before, after)) change.afterCommit(() => this.deps.presence.introduce(after));
        return agentRecord(agent, bot);
      }),
    );
  }

  /** Deletes a bot: its tokens and memberships end at once; what it wrote stays, by a deleted user (contract §4). */
  async delete(actor: Actor, agentId: string): Promise<void> {
    const { userId, ownerId } = await this.deps.agentAccess.owned(actor, agentId);
    // Read before it leaves them: its messages stay there, under another name.
    const rooms = await this.deps.presence.roomsOf(userId);
    await this.deps.changes.run((change) => this.remove(change, { id: agentId, ownerId }, rooms));
  }

  /**
   * The same as part of a change. @param rooms that get its new name
   * @throws AppError AGENT_NOT_FOUND, also if somebody else owns it by now
   */
  async remove(
    change: Change,
    { id: agentId, ownerId }: Pick<Agent, 'id' | 'ownerId'>,
    rooms: string[],
  ): Promise<void> {
    const agent = await lockAgent(change.em, agentId);
    if (agent.ownerId !== ownerId) throw new AppError('AGENT_NOT_FOUND');
    const { userId } = agent;
    // Nobody adds it to a server meanwhile (see Roster).
    const bot = await change.em.findOneOrFail(User, userId, forUpdate);
    const tokenIds = await this.deps.agentTokens.idsOf(change, agentId);
    await this.deps.leaveAll(change, userId);
    await dropPlans(change.rows, userId);
    change.em.remove(agent);
    anonymise(bot);
    bot.formerOwnerId = ownerId;
    await change.em.flush();
    await this.deps.groupMembers.leaveSome(change, userId, mostGroups);
    change.afterCommit(() => this.deps.agentIdentity.forgetTokens(tokenIds));
    change.afterCommit(() => this.deps.directAccess.forgetAllOf(userId));
    change.afterCommit(() => this.dismiss(userId));
    change.afterCommit(() => this.deps.presence.introduce(smallUser(bot), rooms));
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
      return { token: await this.deps.agentTokens.issue(change, agent, session) };
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
    const { userId } = await this.deps.agentAccess.itself(actor, agentId);
    const { heartbeatSeconds } = this.deps.settings.agents;
    const alive = await this.deps.changes.run(({ rows }) =>
      recordHeartbeat(rows, agentId, heartbeatSeconds, input.status ?? null),
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

  /** Stops all agents of someone, as part of a change. */
  async stopAll(change: Change, ownerId: string): Promise<void> {
    const running = await change.em.find(Agent, { ownerId, status: { $ne: 'stopped' } }, { orderBy: { id: 'asc' } });
    for (const { id, userId } of running) {
      await setAgentStatus(change.rows, id, this.deps.settings.agents.heartbeatSeconds, 'stopped');
      change.afterCommit(() => this.dismiss(userId));
    }
  }

  private async setStatus(actor: Actor, agentId: string, status: AgentStatus): Promise<AgentRecord & { ok: true }> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    if (agent.status === status) return { ok: true, ...agentRecord(agent, agent) };
    return this.deps.changes.run(async (change) => {
      await setAgentStatus(change.rows, agentId, this.deps.settings.agents.heartbeatSeconds, status);
      change.afterCommit(() =>
        status === 'stopped' ? this.dismiss(agent.userId) : this.deps.agentIdentity.forget(agent.userId),
      );
      const changed = await this.deps.agentAccess.find(agentId);
      return { ok: true, ...agentRecord(changed, changed) };
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
  ): Promise<{ agent: Agent; bot: User }> {
    const userId = newId();
    const bot = change.em.create(User, {
      id: userId,
      ...(await claimUsername(change.rows, userId, input.name)),
      displayName: input.displayName ?? input.name,
      avatarUrl: input.avatarUrl ?? null,
      isBot: true,
      // Bots have no capabilities, even where new accounts get some (contract §13).
      tier: this.deps.settings.accounts.tiers[0]?.id ?? this.deps.settings.newAccountTier,
    });
    const agent = change.em.create(Agent, {
      id: newId(),
      userId,
      ownerId: actor.userId,
      status: 'running',
      config: input.config ?? {},
    });
    await change.em.flush();
    await createStream(change.rows, userRoom(userId));
    return { agent, bot };
  }
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ChannelWithRights } from '../../../access/channel.access.ts';
import { changedPolicy, type Halves, openPolicy, stricter } from '../../../access/policy.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError, ifMissing } from '../../../contract/errors.ts';
import {
  type buddyPolicySchema,
  type PolicyInput,
  policyChanged,
  type serverPolicySchema,
  type setBuddyPolicySchema,
} from '../../../contract/policy.ts';
import { may, type Rights, requireNoTimeout, requirePermission } from '../../../contract/roles.ts';
import { userRoom } from '../../../contract/rooms.ts';
import { isUuid } from '../../../contract/schema.ts';
import type { Rows } from '../../../database/database.ts';
import { AgentPolicy } from '../../../database/entities/agent.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import type { AgentAccess, AgentRow } from '../../accounts/agent.access.ts';
import { type AgentIdentity, actorOf } from '../../accounts/agent.identity.ts';
import type { Context } from '../../context.ts';
import { auditPolicy } from './policy.audit.ts';
import { halvesAt, type Place, policiesOf, writePolicy } from './policy.places.ts';
import { concernedChannels, holdOwner, lockPolicies } from './policy.table.ts';
import { halvesPart, type PolicyRecord, policyPart, policyRecord } from './policy.view.ts';

type Input = PolicyInput & Partial<Place>;
type Side = keyof Halves;
type BuddyInput = z.output<typeof setBuddyPolicySchema>;
type BuddyRecord = z.input<typeof buddyPolicySchema>;
type ServerPolicyRecord = z.input<typeof serverPolicySchema>;
type Bot = { id: string; userId: string };

interface Deps
  extends Pick<Context, 'database' | 'changes' | 'control' | 'policyAccess' | 'channelAccess' | 'serverAccess'> {
  agentAccess: AgentAccess;
  agentIdentity: AgentIdentity;
}

/** Sets the policies that limit what bots get and post (contract §4, §5). */
export class PolicyService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The policies of an agent, for its owner and its bot. @throws AppError AGENT_NOT_FOUND, SERVER_NOT_FOUND for a slug */
  async list(actor: Actor, agentId: string, server: string | undefined): Promise<PolicyRecord[]> {
    const agent = await this.deps.agentAccess.readable(actor, agentId);
    const serverId = server === undefined || isUuid(server) ? server : await this.serverId(actor, server);
    const reader = actor.userId === agent.userId ? null : actor.userId;
    const policies = await policiesOf(this.deps.database.db, agentId, serverId, reader);
    return policies.map(policyRecord);
  }

  /**
   * Sets policies for the owner, all or none.
   * @throws AppError AGENT_NOT_FOUND, SERVER_NOT_FOUND, CHANNEL_NOT_FOUND, FORBIDDEN where the server keeps the bot
   */
  async set(actor: Actor, agentId: string, inputs: Input[]): Promise<PolicyRecord[]> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const places: Place[] = [];
    for (const input of inputs) places.push(await this.place(actor, agent, input));
    return this.deps.changes.run(async (change) => {
      const records: PolicyRecord[] = [];
      for (const [index, input] of inputs.entries()) {
        const place = places[index];
        if (place) records.push(await this.put(change, actor, agent, place, input, 'owner'));
      }
      return records;
    });
  }

  /** Sets one policy. @throws AppError as `set` */
  async setOne(actor: Actor, agentId: string, input: Input): Promise<PolicyRecord> {
    const [record] = await this.set(actor, agentId, [input]);
    if (!record) throw new AppError('AGENT_NOT_FOUND');
    return record;
  }

  /** Removes the owner's half. @throws AppError AGENT_NOT_FOUND, POLICY_NOT_FOUND, FORBIDDEN for the server's alone */
  async remove(actor: Actor, agentId: string, policyId: string): Promise<void> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    await this.deps.changes.run(async (change) => {
      const { em } = change;
      await this.lock(change, agentId);
      const policy = await em.findOne(AgentPolicy, { agentId, id: policyId });
      if (!policy) throw new AppError('POLICY_NOT_FOUND');
      const place = placeOf(policy);
      if (!policy.ownerHalf) throw new AppError('FORBIDDEN', { message: "The server's admins have set this policy." });
      await requireOwnerThere(change.rows, agent, place.serverId);
      await this.write(change, botOf(agent), place, withoutOwner);
    });
  }

  /**
   * Sets the policy of a channel: for the agent's owner, or for the server by its admins.
   * @throws AppError CHANNEL_NOT_FOUND, AGENT_NOT_FOUND, ROLE_REQUIRED, FORBIDDEN
   */
  async setBuddy(actor: Actor, channelId: string, agentId: string, input: BuddyInput): Promise<BuddyRecord> {
    const { agent, channel } = await this.buddy(actor, channelId, agentId);
    const place = { serverId: channel.serverId, channelId };
    const side = input.setBy ?? (agent.ownerId === actor.userId ? 'owner' : 'server');
    if (side === 'owner' ? agent.ownerId !== actor.userId : !mayDecide(actor, channel.rights)) {
      requireNoTimeout(channel.rights);
      throw new AppError('ROLE_REQUIRED', { message: "Only the bot's owner and admins of the server may do this." });
    }
    return this.deps.changes.run(async (change) => {
      await this.put(change, actor, agent, place, input, side);
      return buddyRecord(change.em, agent, channel);
    });
  }

  /** The effective policy of a bot in a channel, for people in it. */
  async getBuddy(actor: Actor, channelId: string, agentId: string): Promise<BuddyRecord> {
    const { agent, channel } = await this.buddy(actor, channelId, agentId);
    return this.deps.database.read((em) => buddyRecord(em, agent, channel));
  }

  /**
   * Sets the server's default for a bot that is a member, for admins.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, AGENT_NOT_FOUND
   */
  async setServers(actor: Actor, server: string, agentId: string, input: PolicyInput): Promise<ServerPolicyRecord> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'bot:set-policy');
    if (actor.user.isBot) throw new AppError('ROLE_REQUIRED', { message: 'Bots decide nothing about bots.' });
    const agent = await this.member(id, agentId);
    const place = { serverId: id, channelId: null };
    return this.deps.changes.run(async (change) => {
      await this.put(change, actor, agent, place, input, 'server');
      return serverRecord(change.em, agent, id);
    });
  }

  /** The default policy of a bot in a server, for members. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, AGENT_NOT_FOUND */
  async getServers(actor: Actor, server: string, agentId: string): Promise<ServerPolicyRecord> {
    const { id } = await this.deps.serverAccess.joined(actor, server);
    const agent = await this.member(id, agentId);
    return this.deps.database.read((em) => serverRecord(em, agent, id));
  }

  /** Removes all that the owner has set for a bot in a server, as part of a change. */
  async forgetOwners(change: Change, agent: Bot, serverId: string): Promise<void> {
    await this.lock(change, agent.id);
    const owned = { agentId: agent.id, serverId, ownerHalf: { $ne: null } };
    const policies = await change.em.find(AgentPolicy, owned, { orderBy: { createdAt: 'asc', id: 'asc' } });
    for (const policy of policies) {
      await this.write(change, agent, placeOf(policy), withoutOwner);
    }
  }

  /** The agent of a bot that is a member of a server. @throws AppError AGENT_NOT_FOUND */
  private async member(serverId: string, agentId: string): Promise<AgentRow> {
    const agent = await this.deps.agentAccess.find(agentId);
    if (!(await this.deps.serverAccess.membership(serverId, agent.userId))) throw new AppError('AGENT_NOT_FOUND');
    return agent;
  }

  /** A bot in a channel that the actor is in; its owner need not be. */
  private async buddy(
    actor: Actor,
    channelId: string,
    agentId: string,
  ): Promise<{ agent: AgentRow; channel: ChannelWithRights }> {
    const own = await this.deps.channelAccess.entered(actor, channelId).catch(ifMissing);
    const agent = await this.deps.agentAccess.find(agentId).catch(ifMissing);
    // People outside the channel must not learn whether the bot exists either.
    if (!agent) throw new AppError(own ? 'AGENT_NOT_FOUND' : 'CHANNEL_NOT_FOUND');
    const owns = agent.ownerId === actor.userId || agent.userId === actor.userId;
    const bots = await this.ofBot(agent, channelId);
    if (own && (owns || bots)) return { agent, channel: own };
    if (owns && bots) {
      const seen =
        bots.serverId === null ? null : await this.deps.channelAccess.visible(actor, channelId).catch(ifMissing);
      if (seen !== undefined)
        return { agent, channel: { ...bots, role: seen?.role ?? null, rights: seen?.rights ?? null } };
    }
    throw new AppError(own ? 'AGENT_NOT_FOUND' : 'CHANNEL_NOT_FOUND');
  }

  private async place(actor: Actor, agent: AgentRow, input: Partial<Place>): Promise<Place> {
    const { serverId: server = null, channelId = null } = input;
    const serverId = server && (await this.serverId(actor, server));
    if (channelId !== null) {
      const own = await this.deps.channelAccess.visible(actor, channelId).catch(ifMissing);
      const bots = own ? undefined : await this.ofBot(agent, channelId);
      // The owner need not be in the bot's DMs.
      const channel = own ?? (bots?.serverId === null ? bots : undefined);
      if (!channel || (serverId !== null && channel.serverId !== serverId)) throw new AppError('CHANNEL_NOT_FOUND');
      return { serverId: channel.serverId, channelId };
    }
    if (serverId === null) throw new AppError('SERVER_NOT_FOUND');
    return { serverId, channelId: null };
  }

  /** A server that the actor is in. @throws AppError SERVER_NOT_FOUND */
  private async serverId(actor: Actor, idOrSlug: string): Promise<string> {
    const { id } = await this.deps.serverAccess.find(idOrSlug);
    if (!(await this.deps.serverAccess.membership(id, actor.userId))) throw new AppError('SERVER_NOT_FOUND');
    return id;
  }

  private async ofBot(agent: AgentRow, channelId: string): Promise<ChannelWithRights | undefined> {
    const known = await this.deps.agentIdentity.find(agent.userId);
    return known && this.deps.channelAccess.visible(actorOf(known), channelId).catch(ifMissing);
  }

  /** @returns the record, also if nothing restricts the bot there any more */
  private async put(
    change: Change,
    actor: Actor,
    agent: AgentRow,
    place: Place,
    input: PolicyInput,
    side: Side,
  ): Promise<PolicyRecord> {
    // Concurrent changes of one bot's policies are serialized.
    await this.lock(change, agent.id);
    if (side === 'owner') await requireOwnerThere(change.rows, agent, place.serverId);
    const record = await this.write(change, botOf(agent), place, (before) => {
      const policy = changedPolicy(before[side] ?? openPolicy, input);
      if (side === 'server') auditPolicy(change, actor, agent.userId, place, { before: before.server, after: policy });
      return { ...before, [side]: policy };
    });
    if (!record) throw new AppError('AGENT_NOT_FOUND');
    return record;
  }

  private async lock({ rows }: Change, agentId: string): Promise<void> {
    if (!(await lockPolicies(rows, agentId))) throw new AppError('AGENT_NOT_FOUND');
  }

  private async write(
    change: Change,
    agent: Bot,
    place: Place,
    set: (before: Halves) => Halves,
  ): Promise<PolicyRecord | null> {
    const { policy, isChanged } = await writePolicy(change.em, agent.id, place, set);
    const record = policy && policyRecord(policy);
    if (isChanged) await this.publish(change, agent, place, record);
    return record;
  }

  /** Publishes the change to the bot; the policy applies on all nodes before the response. */
  private async publish(
    change: Change,
    agent: Bot,
    { serverId, channelId }: Place,
    policy: PolicyRecord | null,
  ): Promise<void> {
    const channelIds = channelId === null ? await concernedChannels(change.rows, agent.userId, serverId) : [channelId];
    change.publish(policyChanged.in(userRoom(agent.userId), { agentId: agent.id, serverId, channelId, policy }));
    change.afterCommit(() => this.deps.policyAccess.forget(agent.userId, channelIds));
    change.afterCommit(() => this.deps.control.send({ kind: 'hearing', userId: agent.userId }));
  }
}

const withoutOwner = ({ server }: Halves): Halves => ({ owner: null, server });

const botOf = ({ id, userId }: AgentRow): Bot => ({ id, userId });

function placeOf({ serverId = null, channelId = null }: AgentPolicy): Place {
  return { serverId, channelId };
}

/** Whether someone sets the policies of a server: its admins, and no bots, whose owners act through them. */
function mayDecide({ user }: Actor, rights: Rights | null): boolean {
  return may(rights, 'bot:set-policy') && !user.isBot;
}

/** Owners set no policies in servers they are not in, or for kept bots. @throws AppError SERVER_NOT_FOUND, FORBIDDEN */
async function requireOwnerThere(rows: Rows, agent: AgentRow, serverId: string | null): Promise<void> {
  if (serverId === null) return;
  const held = await holdOwner(rows, serverId, agent);
  if (!held) throw new AppError('SERVER_NOT_FOUND');
  if (!held.isKept) return;
  throw new AppError('FORBIDDEN', { message: "In this server the admins alone set this bot's policies." });
}

/** The effective policy of a bot in a channel, and what both sides have set there or for the whole server. */
async function buddyRecord(
  em: EntityManager,
  agent: AgentRow,
  { id, serverId }: ChannelWithRights,
): Promise<BuddyRecord> {
  const { effective } = await halvesAt(em, agent.id, { serverId, channelId: id });
  const who = { channelId: id, agentId: agent.id, buddyUserId: agent.userId };
  return { ...who, ...policyPart(stricter(effective)), ...halvesPart(effective) };
}

/** The default of a bot in a server. */
async function serverRecord(em: EntityManager, agent: AgentRow, serverId: string): Promise<ServerPolicyRecord> {
  const { own } = await halvesAt(em, agent.id, { serverId, channelId: null });
  const who = { serverId, agentId: agent.id, buddyUserId: agent.userId };
  return { ...who, ...policyPart(stricter(own)), ...halvesPart(own) };
}

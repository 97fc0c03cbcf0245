import type { z } from 'zod';
import type { Actor } from '../../access/actor.ts';
import { may } from '../../access/roles.ts';
import type { ChannelAccess, ChannelWithRole } from '../../channels/channel.access.ts';
import type { Database, Rows } from '../../database/database.ts';
import type { Change, Changes } from '../../delivery/changes.ts';
import type { Control } from '../../delivery/control.ts';
import { userRoom } from '../../delivery/entry.ts';
import { AppError, ifMissing } from '../../errors.ts';
import { newId } from '../../infrastructure/ids.ts';
import { isUuid } from '../../schema.ts';
import type { ServerAccess } from '../../servers/server.access.ts';
import type { AgentAccess } from '../agent.access.ts';
import { type AgentIdentity, actorOf } from '../agent.identity.ts';
import type { AgentRow } from '../agent.view.ts';
import type { PolicyAccess } from './policy.access.ts';
import { type buddyPolicySchema, type PolicyInput, policyChanged } from './policy.contract.ts';
import { changedPolicy, openPolicy, type Policy } from './policy.ts';
import { type PolicyRecord, type PolicyRow, policyPart, policyRecord } from './policy.view.ts';

const columns = `id, agent_id AS "agentId", server_id AS "serverId", channel_id AS "channelId", mode,
  mention_only AS "mentionOnly", reply, listen, config, created_at AS "createdAt", updated_at AS "updatedAt"`;
const ofAgent = `SELECT ${columns} FROM agent_policies WHERE agent_id = $1 AND ($2::uuid IS NULL OR server_id = $2)
  ORDER BY created_at, id LIMIT 2000`;
const findOne = `SELECT ${columns} FROM agent_policies
  WHERE agent_id = $1 AND server_id IS NOT DISTINCT FROM $2 AND channel_id IS NOT DISTINCT FROM $3`;
const removeOne = `DELETE FROM agent_policies WHERE id = $1 AND agent_id = $2 RETURNING ${columns}`;
const values = '($1, $2, $3, $4, $5, $6, $7, $8, $9::json, now(), now())';
const taken = `mode = excluded.mode, mention_only = excluded.mention_only, reply = excluded.reply,
  listen = excluded.listen, config = excluded.config, updated_at = now()`;
const insert = `INSERT INTO agent_policies (id, agent_id, server_id, channel_id, mode, mention_only, reply, listen,
  config, created_at, updated_at) VALUES ${values}`;
const putChannel = `${insert} ON CONFLICT (agent_id, channel_id) WHERE channel_id IS NOT NULL
  DO UPDATE SET ${taken} RETURNING ${columns}`;
const putServer = `${insert} ON CONFLICT (agent_id, server_id) WHERE channel_id IS NULL
  DO UPDATE SET ${taken} RETURNING ${columns}`;
/** Where a policy can matter: its channel, or the whole server if the bot is a member. */
const concerned = `SELECT channel_id AS id FROM channel_members JOIN channels ON channels.id = channel_id
  WHERE user_id = $1 AND server_id = $2`;

interface Place {
  serverId: string | null;
  channelId: string | null;
}

/** Sets what bots may hear and say (contract §4, §5). */
export class PolicyService {
  private readonly database: Database;
  private readonly changes: Changes;
  private readonly control: Control;
  private readonly access: AgentAccess;
  private readonly policies: PolicyAccess;
  private readonly identity: AgentIdentity;
  private readonly channels: ChannelAccess;
  private readonly servers: ServerAccess;

  constructor(parts: {
    database: Database;
    changes: Changes;
    control: Control;
    agentAccess: AgentAccess;
    policyAccess: PolicyAccess;
    agentIdentity: AgentIdentity;
    channelAccess: ChannelAccess;
    serverAccess: ServerAccess;
  }) {
    this.database = parts.database;
    this.changes = parts.changes;
    this.control = parts.control;
    this.access = parts.agentAccess;
    this.policies = parts.policyAccess;
    this.identity = parts.agentIdentity;
    this.channels = parts.channelAccess;
    this.servers = parts.serverAccess;
  }

  /** The policies of an agent, for its owner and its bot. @throws AppError AGENT_NOT_FOUND, SERVER_NOT_FOUND for a slug */
  async list(actor: Actor, agentId: string, server: string | undefined): Promise<PolicyRecord[]> {
    const agent = await this.access.readable(actor, agentId);
    const serverId = server === undefined || isUuid(server) ? server : await this.serverId(actor, agent, server);
    const rows = await this.database.rows<PolicyRow>(ofAgent, [agentId, serverId ?? null]);
    return rows.map(policyRecord);
  }

  /** Sets policies, all or none. @throws AppError AGENT_NOT_FOUND, SERVER_NOT_FOUND, CHANNEL_NOT_FOUND */
  async set(actor: Actor, agentId: string, inputs: (PolicyInput & Partial<Place>)[]): Promise<PolicyRecord[]> {
    const agent = await this.access.owned(actor, agentId);
    const places: Place[] = [];
    for (const input of inputs) places.push(await this.place(actor, agent, input));
    return this.changes.run(async (change) => {
      const records: PolicyRecord[] = [];
      for (const [index, input] of inputs.entries()) {
        const place = places[index];
        if (place) records.push(await this.put(change, agent, place, input));
      }
      return records;
    });
  }

  /** Sets one policy. @throws AppError as `set` */
  async setOne(actor: Actor, agentId: string, input: PolicyInput & Partial<Place>): Promise<PolicyRecord> {
    const [record] = await this.set(actor, agentId, [input]);
    if (!record) throw new AppError('AGENT_NOT_FOUND');
    return record;
  }

  /** @throws AppError AGENT_NOT_FOUND, POLICY_NOT_FOUND */
  async remove(actor: Actor, agentId: string, policyId: string): Promise<void> {
    const agent = await this.access.owned(actor, agentId);
    await this.changes.run(async (change) => {
      const [gone] = await change.rows<PolicyRow>(removeOne, [policyId, agentId]);
      if (!gone) throw new AppError('POLICY_NOT_FOUND');
      await this.tell(change, agent, gone, null);
    });
  }

  /**
   * Sets the policy of a channel, for the agent's owner and admins of the server.
   * @throws AppError CHANNEL_NOT_FOUND, AGENT_NOT_FOUND, ROLE_REQUIRED
   */
  async setBuddy(
    actor: Actor,
    channelId: string,
    agentId: string,
    input: PolicyInput,
  ): Promise<z.input<typeof buddyPolicySchema>> {
    const { agent, channel } = await this.buddy(actor, channelId, agentId);
    const decides = agent.owner_id === actor.userId || may(channel.role, 'bot:set-policy');
    if (!decides) {
      throw new AppError('ROLE_REQUIRED', { message: "Only the bot's owner and admins of the server may do this." });
    }
    const place = { serverId: channel.serverId, channelId };
    const policy = await this.changes.run((change) => this.put(change, agent, place, input));
    return { channelId, agentId: agent.id, buddyUserId: agent.user_id, ...policyPart(policy) };
  }

  /** The effective policy of a bot in a channel, for people in it. */
  async getBuddy(actor: Actor, channelId: string, agentId: string): Promise<z.input<typeof buddyPolicySchema>> {
    const { agent } = await this.buddy(actor, channelId, agentId);
    const policy = await this.policies.effective(agent.user_id, channelId);
    return { channelId, agentId: agent.id, buddyUserId: agent.user_id, ...policyPart(policy) };
  }

  /** A bot in a channel that the actor is in; its owner need not be. */
  private async buddy(
    actor: Actor,
    channelId: string,
    agentId: string,
  ): Promise<{ agent: AgentRow; channel: ChannelWithRole }> {
    const own = await this.channels.entered(actor, channelId).catch(ifMissing);
    const agent = await this.access.find(agentId).catch(ifMissing);
    // Those outside the channel are not told either whether the bot exists.
    if (!agent) throw new AppError(own ? 'AGENT_NOT_FOUND' : 'CHANNEL_NOT_FOUND');
    const owns = agent.owner_id === actor.userId || agent.user_id === actor.userId;
    const bots = await this.ofBot(agent, channelId);
    if (own && (owns || bots)) return { agent, channel: own };
    if (owns && bots) return { agent, channel: { ...bots, role: null } };
    throw new AppError(own ? 'AGENT_NOT_FOUND' : 'CHANNEL_NOT_FOUND');
  }

  private async place(actor: Actor, agent: AgentRow, input: Partial<Place>): Promise<Place> {
    const { serverId: server = null, channelId = null } = input;
    const serverId = server && (await this.serverId(actor, agent, server));
    if (channelId !== null) {
      const channel =
        (await this.channels.visible(actor, channelId).catch(ifMissing)) ?? (await this.ofBot(agent, channelId));
      if (!channel || (serverId !== null && channel.serverId !== serverId)) throw new AppError('CHANNEL_NOT_FOUND');
      return { serverId: channel.serverId, channelId };
    }
    if (serverId === null) throw new AppError('SERVER_NOT_FOUND');
    return { serverId, channelId: null };
  }

  /** A server that the actor or its bot is in. @throws AppError SERVER_NOT_FOUND */
  private async serverId(actor: Actor, agent: AgentRow, idOrSlug: string): Promise<string> {
    const { id } = await this.servers.find(idOrSlug);
    const [own, bots] = await Promise.all([
      this.servers.membership(id, actor.userId),
      this.servers.membership(id, agent.user_id),
    ]);
    if (!own && !bots) throw new AppError('SERVER_NOT_FOUND');
    return id;
  }

  private async ofBot(agent: AgentRow, channelId: string): Promise<ChannelWithRole | undefined> {
    const known = await this.identity.find(agent.user_id);
    return known && this.channels.visible(actorOf(known), channelId).catch(ifMissing);
  }

  private async put(change: Change, agent: AgentRow, place: Place, input: PolicyInput): Promise<PolicyRecord> {
    // Concurrent changes of one policy are serialized.
    await change.rows('SELECT id FROM agents WHERE id = $1 FOR UPDATE', [agent.id]);
    const { mode, mentionOnly, reply, listen, config } = changedPolicy(
      await this.current(change.rows, agent.id, place),
      input,
    );
    const [row] = await change.rows<PolicyRow>(place.channelId === null ? putServer : putChannel, [
      newId(),
      agent.id,
      place.serverId,
      place.channelId,
      mode,
      mentionOnly,
      reply,
      listen,
      JSON.stringify(config),
    ]);
    if (!row) throw new AppError('AGENT_NOT_FOUND');
    const record = policyRecord(row);
    await this.tell(change, agent, place, record);
    return record;
  }

  private async current(rows: Rows, agentId: string, place: Place): Promise<Policy> {
    const [row] = await rows<PolicyRow>(findOne, [agentId, place.serverId, place.channelId]);
    return row ?? openPolicy;
  }

  /** The bot is told, and the policy applies on all nodes before the response. */
  private async tell(change: Change, agent: AgentRow, place: Place, policy: PolicyRecord | null): Promise<void> {
    const { serverId, channelId } = place;
    const channels =
      channelId === null
        ? await change.rows<{ id: string }>(concerned, [agent.user_id, serverId])
        : [{ id: channelId }];
    change.publish(policyChanged.in(userRoom(agent.user_id), { agentId: agent.id, serverId, channelId, policy }));
    const channelIds = channels.map((channel) => channel.id);
    change.afterCommit(() => this.policies.forget(agent.user_id, channelIds));
    change.afterCommit(() => this.control.send({ kind: 'hearing', userId: agent.user_id }));
  }
}

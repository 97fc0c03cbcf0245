import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import {
  type channelCommandsSchema,
  type SlashCommand,
  type slashCommandsAnswerSchema,
  slashCommandsUpdated,
  type usageSnapshotAnswerSchema,
} from '../../contract/agent.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { AgentAccess } from '../accounts/agent.access.ts';
import type { Context } from '../context.ts';
import type { CommandDirectory } from '../messages/command-directory.ts';

const toldChannels = 200;
/** In channels beyond these, nodes find the change by themselves within a second. */
const keptChannels = 2000;

const getCommands = 'SELECT slash_commands AS commands FROM agents WHERE id = $1';
const setCommands = `UPDATE agents SET slash_commands = $2::json, updated_at = now()
  WHERE id = $1 AND slash_commands::jsonb IS DISTINCT FROM $2::jsonb RETURNING id`;
const getSnapshot = 'SELECT usage_snapshot AS snapshot FROM agents WHERE id = $1';
const setSnapshot = 'UPDATE agents SET usage_snapshot = $2::json WHERE id = $1';
const placesOf = `SELECT m.channel_id AS id FROM channel_members m JOIN channels c ON c.id = m.channel_id
  WHERE m.user_id = $1 AND NOT m.excluded AND NOT c.is_archived AND c.deleted_at IS NULL ORDER BY c.id LIMIT $2`;
const inChannel = `SELECT a.id AS "agentId", a.slash_commands AS commands, u.id, u.username,
    u.display_name AS "displayName", u.avatar_url AS "avatarUrl"
  FROM channel_members m JOIN agents a ON a.user_id = m.user_id JOIN users u ON u.id = a.user_id
  WHERE m.channel_id = $1 AND NOT m.excluded AND a.status <> 'stopped' AND a.slash_commands IS NOT NULL
  ORDER BY u.username_key LIMIT 200`;

interface BotCommands {
  agentId: string;
  commands: SlashCommand[];
  id: string;
  username: string;
  displayName: string;
  avatarUrl: string | null;
}

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess'> {
  agentAccess: AgentAccess;
  commands: CommandDirectory;
}

/** What bots report about themselves: the commands they understand, and their usage (contract §12). */
export class AgentProfile {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async commands(actor: Actor, agentId: string): Promise<z.input<typeof slashCommandsAnswerSchema>> {
    await this.deps.agentAccess.readable(actor, agentId);
    const [row] = await this.deps.database.rows<{ commands: SlashCommand[] | null }>(getCommands, [agentId]);
    return { ok: true, commands: row?.commands ?? [] };
  }

  /** By the bot itself or its owner; the bot's channels get an event about it. */
  async setCommands(
    actor: Actor,
    agentId: string,
    commands: SlashCommand[],
  ): Promise<z.input<typeof slashCommandsAnswerSchema>> {
    const agent = await this.deps.agentAccess.readable(actor, agentId);
    await this.deps.changes.run(async (change) => {
      const changed = await change.rows(setCommands, [agentId, JSON.stringify(commands)]);
      if (changed.length === 0) return;
      const places = await change.rows<{ id: string }>(placesOf, [agent.user_id, keptChannels]);
      for (const { id } of places.slice(0, toldChannels)) {
        change.publish(slashCommandsUpdated.in(channelRoom(id), { channelId: id, agentId }));
      }
      change.afterCommit(() => this.deps.commands.forget(places.map(({ id }) => id)));
    });
    return { ok: true, commands };
  }

  /** The commands of the bots in a channel. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async inChannel(actor: Actor, channelId: string): Promise<z.input<typeof channelCommandsSchema>> {
    await this.deps.channelAccess.entered(actor, channelId);
    const bots = await this.deps.database.rows<BotCommands>(inChannel, [channelId]);
    const commands = bots.flatMap(({ agentId, commands, ...user }) =>
      commands.map((command) => ({ ...command, agentId, botUser: { ...user, isBot: true } })),
    );
    return { ok: true, commands };
  }

  /** By the bot itself: its usage, in any form that its owner understands. */
  async setUsage(
    actor: Actor,
    agentId: string,
    snapshot: Record<string, unknown>,
  ): Promise<z.input<typeof usageSnapshotAnswerSchema>> {
    await this.deps.agentAccess.itself(actor, agentId);
    await this.deps.changes.run(({ rows }) => rows(setSnapshot, [agentId, JSON.stringify(snapshot)]));
    return { ok: true, snapshot };
  }

  /** The last report; null: none so far. */
  async usage(actor: Actor, agentId: string): Promise<z.input<typeof usageSnapshotAnswerSchema>> {
    await this.deps.agentAccess.readable(actor, agentId);
    const [row] = await this.deps.database.rows<{ snapshot: Record<string, unknown> | null }>(getSnapshot, [agentId]);
    return { ok: true, snapshot: row?.snapshot ?? null };
  }
}

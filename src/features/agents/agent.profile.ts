import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import {
  type channelCommandsSchema,
  type SlashCommand,
  type slashCommandsAnswerSchema,
  slashCommandsUpdated,
  type usageSnapshotAnswerSchema,
} from '../../contract/agent.ts';
import type { CommandOption } from '../../contract/command-option.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { Queries } from '../../database/database.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import { smallUser, smallUserColumns } from '../accounts/account.view.ts';
import { type AgentAccess, lockAgent } from '../accounts/agent.access.ts';
import type { Context } from '../context.ts';
import type { CommandDirectory } from '../messages/command-directory.ts';
import { mayUse, rulesOf } from '../messages/command-rules.table.ts';

const toldChannels = 200;
/** In channels beyond these, nodes find the change by themselves within a second. */
const keptChannels = 2000;

type CommandRecord = SlashCommand & { options: CommandOption[] | null };

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
    const agent = await this.deps.database.read((em) => em.findOne(Agent, agentId));
    return { ok: true, commands: (agent?.slashCommands ?? []).map(commandRecord) };
  }

  /** By the bot itself or its owner; the bot's channels get an event about it. */
  async setCommands(
    actor: Actor,
    agentId: string,
    commands: CommandRecord[],
  ): Promise<z.input<typeof slashCommandsAnswerSchema>> {
    await this.deps.agentAccess.readable(actor, agentId);
    await this.deps.changes.run(async (change) => {
      const agent = await lockAgent(change.em, agentId);
      if (isDeepStrictEqual(agent.slashCommands, commands)) return;
      agent.slashCommands = commands;
      const places = await channelsOf(change.db, agent.userId);
      for (const { id } of places.slice(0, toldChannels)) {
        change.publish(slashCommandsUpdated.in(channelRoom(id), { channelId: id, agentId }));
      }
      change.afterCommit(() => this.deps.commands.forget(places.map(({ id }) => id)));
    });
    return { ok: true, commands };
  }

  /** The commands of the bots in a channel that the actor may use. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async inChannel(actor: Actor, channelId: string): Promise<z.input<typeof channelCommandsSchema>> {
    const { serverId, rights } = await this.deps.channelAccess.entered(actor, channelId);
    const asking = { userId: actor.userId, rights };
    const bots = await this.deps.database.db
      .selectFrom('ChannelMember as m')
      .innerJoin('Agent as a', 'a.userId', 'm.userId')
      .innerJoin('User as u', 'u.id', 'a.userId')
      .where('m.channelId', '=', channelId)
      .where('m.excluded', '=', false)
      .where('a.status', '<>', 'stopped')
      .where('a.slashCommands', 'is not', null)
      .orderBy('u.usernameKey')
      .limit(200)
      .select([...smallUserColumns, 'a.id as agentId', 'a.slashCommands'])
      .execute();
    const agentIds = bots.map(({ agentId }) => agentId);
    const rules = await rulesOf(this.deps.database.rows, serverId, agentIds);
    const commands = bots.flatMap(({ agentId, slashCommands, ...bot }) =>
      (slashCommands ?? [])
        .filter(({ name }) => mayUse(rules, asking, agentId, name))
        .map((command) => ({ ...commandRecord(command), agentId, botUser: smallUser(bot) })),
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
    await this.deps.changes.run(({ em }) => em.nativeUpdate(Agent, agentId, { usageSnapshot: snapshot }));
    return { ok: true, snapshot };
  }

  /** The last report; null: none so far. */
  async usage(actor: Actor, agentId: string): Promise<z.input<typeof usageSnapshotAnswerSchema>> {
    await this.deps.agentAccess.readable(actor, agentId);
    const agent = await this.deps.database.read((em) => em.findOne(Agent, agentId));
    return { ok: true, snapshot: agent?.usageSnapshot ?? null };
  }
}

/** A command as everyone is shown it; those that nodes of earlier versions kept have no options. */
export const commandRecord = (command: SlashCommand): CommandRecord => ({
  ...command,
  options: command.options ?? null,
});

/** The open channels that a bot is in, as far as they are announced a change. */
function channelsOf(db: Queries, botUserId: string): Promise<{ id: string }[]> {
  return db
    .selectFrom('ChannelMember as m')
    .innerJoin('Channel as c', 'c.id', 'm.channelId')
    .where('m.userId', '=', botUserId)
    .where('m.excluded', '=', false)
    .where('c.isArchived', '=', false)
    .where('c.deletedAt', 'is', null)
    .orderBy('c.id')
    .limit(keptChannels)
    .select('c.id')
    .execute();
}

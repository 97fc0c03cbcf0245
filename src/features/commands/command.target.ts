import type { ChannelWithRights } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import type { SlashCommand } from '../../contract/agent.ts';
import type { CommandOption } from '../../contract/command-option.ts';
import { AppError } from '../../contract/errors.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import type { Context } from '../context.ts';
import type { InteractionMaker, UsedBot } from '../interactions/interaction.maker.ts';
import { knows } from '../messages/command-directory.ts';
import { mayUse, rulesOf } from '../messages/command-rules.table.ts';

/** Which command someone means, and where. */
export interface Meant {
  agentId: string;
  command: string;
  threadId?: string | undefined;
}

/** A command that someone may use in a channel. */
export interface Target {
  channel: ChannelWithRights;
  threadId: string | null;
  bot: UsedBot;
  command: Pick<SlashCommand, 'name'> & { options: CommandOption[] };
}

interface Deps extends Pick<Context, 'database' | 'channelAccess' | 'threadAccess'> {
  interactions: InteractionMaker;
}

/** The only way to get a command of a bot for someone who uses it (contract §4, Commands). */
export class CommandTargets {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @throws AppError like `ChannelAccess.postable`, `ThreadAccess.postable` and `InteractionMaker.bot`, FORBIDDEN for bots,
   *   COMMAND_NOT_FOUND, COMMAND_NOT_ALLOWED
   */
  async find(actor: Actor, channelId: string, meant: Meant): Promise<Target> {
    requirePerson(actor);
    const channel = await this.deps.channelAccess.postable(actor, channelId);
    if (meant.threadId) await this.deps.threadAccess.requirePostable(actor, channelId, meant.threadId);
    const agent = await this.deps.database.read((em) => em.findOne(Agent, meant.agentId));
    if (!agent) throw new AppError('AGENT_NOT_FOUND');
    const bot = await this.deps.interactions.bot(agent.userId, channelId);
    const known = agent.slashCommands?.find((one) => knows(one, meant.command));
    if (!known) throw new AppError('COMMAND_NOT_FOUND');
    if (!known.options) {
      throw new AppError('COMMAND_NOT_FOUND', { message: 'This command is sent as the text of a message.' });
    }
    const rules = await rulesOf(this.deps.database.rows, channel.serverId, [agent.id]);
    const asking = { userId: actor.userId, rights: channel.rights };
    if (!mayUse(rules, asking, agent.id, known.name)) throw new AppError('COMMAND_NOT_ALLOWED');
    return {
      channel,
      threadId: meant.threadId ?? null,
      bot,
      command: { name: known.name, options: known.options },
    };
  }
}

/** Bots that commanded bots would never stop. @throws AppError FORBIDDEN */
export function requirePerson({ user }: Actor): void {
  if (user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots use no commands of bots.' });
}

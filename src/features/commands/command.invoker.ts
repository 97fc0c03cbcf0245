import type { z } from 'zod';
import { type ChannelAccess, type ChannelWithRights, requireInChannel } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import type { invokeCommandSchema } from '../../contract/command.ts';
import type { CommandOption, OptionValues } from '../../contract/command-option.ts';
import { idsOf, issuesOf, type ValueIssue, withKeptIds } from '../../contract/command-values.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import type { Invoked, Resolved } from '../../contract/invoked.ts';
import { invalid } from '../../contract/schema/validation.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import type { InteractionMaker, Made } from '../interactions/interaction.maker.ts';
import { type StoredAttachment, uploadsOf } from '../messages/attachment.table.ts';
import { giveFiles } from '../messages/command-file.table.ts';
import { attachmentRecord } from '../messages/message.view.ts';
import { holdUploads, usersAround } from './command.table.ts';
import { type CommandTargets, requirePerson, type Target } from './command.target.ts';

type Input = z.output<typeof invokeCommandSchema>;

/** The ids among the values of a command. */
type Named = Record<keyof Resolved, string[]>;

interface Deps extends Pick<Context, 'database' | 'channelAccess'> {
  targets: CommandTargets;
  interactions: InteractionMaker;
}

/** Invokes commands of bots: each is checked as the bot has declared it, and becomes an interaction (contract §4, Commands). */
export class CommandInvoker {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * The same nonce again, within a day, is the first one.
   * @throws AppError like `CommandTargets.find`, VALIDATION_FAILED, USER_NOT_FOUND, CHANNEL_NOT_FOUND, ATTACHMENT_NOT_FOUND,
   *   ATTACHMENT_INVALID for what was sent, ROLE_REQUIRED for files where they may not be attached
   */
  async invoke(actor: Actor, channelId: string, input: Input): Promise<Made> {
    requirePerson(actor);
    const { nonce = null } = input;
    // What it names may be gone by now, by what came of the first one.
    const first = await this.deps.interactions.madeWith(actor, nonce);
    if (first) return first;
    const target = await this.deps.targets.find(actor, channelId, input);
    const { options } = target.command;
    const values = withKeptIds(options, input.options);
    const issues = issuesOf(options, values);
    if (issues.length > 0) throw invalid(issues.map(toIssue));
    const resolved = await this.resolve(actor, target.channel, options, values);
    const command: Invoked = { name: target.command.name, resolved };
    const { channel, threadId, bot } = target;
    const place = {
      serverId: channel.serverId,
      channelId,
      threadId,
      messageId: null,
      componentId: null,
      parentId: null,
    };
    return this.deps.interactions.make(
      actor,
      bot,
      { kind: 'command', ...place, command, values, nonce },
      async () => undefined,
      (change) => this.give(change, actor, target, Object.keys(resolved.files)),
    );
  }

  /** Lets the bot read the files, which must still be unsent. */
  private async give({ rows }: Change, { userId }: Actor, { bot }: Target, fileIds: string[]): Promise<void> {
    if (!(await holdUploads(rows, userId, fileIds))) throw new AppError('ATTACHMENT_INVALID');
    await giveFiles(rows, bot.agentId, fileIds);
  }

  private async resolve(
    actor: Actor,
    channel: ChannelWithRights,
    options: CommandOption[],
    values: OptionValues,
  ): Promise<Resolved> {
    const { rows } = this.deps.database;
    const named: Named = {
      users: idsOf(options, values, 'user'),
      channels: idsOf(options, values, 'channel'),
      files: idsOf(options, values, 'file'),
    };
    if (named.files.length > 0) requireInChannel(channel, 'file:attach');
    const users = named.users.length > 0 ? await usersAround(rows, named.users, channel) : [];
    if (users.length < named.users.length) throw new AppError('USER_NOT_FOUND');
    const channels = await channelsFor(this.deps.channelAccess, actor, channel, named.channels);
    const files = named.files.length > 0 ? await uploadsOf(rows, actor.userId, named.files) : [];
    if (files.length < named.files.length) throw new AppError('ATTACHMENT_NOT_FOUND');
    if (files.some(isTaken)) throw new AppError('ATTACHMENT_INVALID');
    return {
      users: byId(users),
      channels: byId(channels.map(({ id, name, type }) => ({ id, name, type }))),
      files: byId(files.map(attachmentRecord)),
    };
  }
}

/** Those channels, as far as someone may know of them, and they are of the same server. @throws AppError CHANNEL_NOT_FOUND */
function channelsFor(access: ChannelAccess, actor: Actor, { id, serverId }: ChannelWithRights, ids: string[]) {
  return Promise.all(
    ids.map(async (wanted) => {
      const found = await access.visible(actor, wanted).catch(ifMissing);
      const isHere = found && (serverId === null ? found.id === id : found.serverId === serverId);
      if (!isHere) throw new AppError('CHANNEL_NOT_FOUND', { message: 'There is no such channel in this server.' });
      return found;
    }),
  );
}

const isTaken = ({ message_id, held_id, scheduled_id }: StoredAttachment): boolean =>
  [message_id, held_id, scheduled_id].some((place) => place !== null);

const byId = <T extends { id: string }>(list: T[]): Record<string, T> =>
  Object.fromEntries(list.map((one) => [one.id, one]));

const toIssue = ({ option, message }: ValueIssue) => ({ path: `options.${option}`, message, code: 'custom' });

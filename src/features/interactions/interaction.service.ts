import type { z } from 'zod';
import { type ChannelWithRights, requireInChannel } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import type { UsedComponent } from '../../contract/component.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type InteractionRecord,
  type interactionCalls,
  interactionUpdated,
  type UseRecord,
  type Values,
} from '../../contract/interaction.ts';
import { roles } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { userOf } from '../accounts/account.view.ts';
import type { Context } from '../context.ts';
import { mayUse, rulesOf } from '../messages/command-rules.table.ts';
import type { MessageAccess } from '../messages/message.access.ts';
import type { MessageRow } from '../messages/message.view.ts';
import type { InteractionMaker, Made } from './interaction.maker.ts';
import { type InteractionWithUser, interactionTable, type NewInteraction } from './interaction.table.ts';
import { interactionRecord, useRecord } from './interaction.view.ts';
import { areSame, checkedForm, checkedValues } from './values.ts';

type UseInput = z.output<typeof interactionCalls.useComponent.body>;
type SubmitInput = z.output<typeof interactionCalls.submitForm.body>;

interface Deps extends Pick<Context, 'database' | 'channelAccess'> {
  messageAccess: MessageAccess;
  interactions: InteractionMaker;
}

/** Uses of components, and forms that bots have answered with (contract §6, Interactions). */
export class InteractionService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Uses a component of a message. The same use again is the first one, on whichever device and node.
   * @throws AppError like `MessageAccess.open`, ROLE_REQUIRED, FORBIDDEN for bots, COMPONENT_NOT_FOUND, COMPONENT_DISABLED,
   *   COMPONENT_NOT_FOR_YOU, COMPONENT_USED, VALIDATION_FAILED, and as `InteractionMaker.bot`
   */
  async use(actor: Actor, messageId: string, { componentId, values = {}, nonce = null }: UseInput): Promise<Made> {
    requirePerson(actor);
    // The component may be gone by now, by what came of the first one.
    const first = await this.deps.interactions.madeWith(actor, nonce);
    if (first) return first;
    const { row, channel } = await this.deps.messageAccess.open(actor, messageId);
    requireInChannel(channel, 'message:react');
    const component = componentOf(row, componentId);
    if (component.disabled) throw new AppError('COMPONENT_DISABLED');
    if (!isFor(actor, channel, component)) throw new AppError('COMPONENT_NOT_FOR_YOU');
    const checked = checkedValues(component, values);
    const bot = await this.deps.interactions.bot(row.author_id, channel.id);
    const draft = { kind: component.type, ...placeOf(row, channel), componentId, values: checked, nonce };
    return this.deps.interactions.make(
      actor,
      bot,
      { ...draft, command: null, parentId: null },
      ({ rows }, one) => interactionTable.same(rows, one),
      (change, one) => takeOnce(change, one, component),
    );
  }

  /**
   * Sends the form that a bot has answered the actor with, once: the same again is the first one.
   * @throws AppError INTERACTION_NOT_FOUND, INTERACTION_ENDED when there is no form any more, or other values were sent,
   *   VALIDATION_FAILED, COMMAND_NOT_ALLOWED, and as `use`
   */
  async submit(actor: Actor, interactionId: string, { values, nonce = null }: SubmitInput): Promise<Made> {
    requirePerson(actor);
    const first = await this.deps.interactions.madeWith(actor, nonce);
    if (first) return first;
    const { rows } = this.deps.database;
    const parent = await interactionTable.find(rows, interactionId);
    if (parent?.userId !== actor.userId) throw new AppError('INTERACTION_NOT_FOUND');
    const sent = requireSame(await interactionTable.ofParent(rows, parent.id), values);
    if (sent) return { use: useRecord(sent), repeated: true };
    if (parent.isOver || !parent.form) throw new AppError('INTERACTION_ENDED');
    const { interactions } = this.deps;
    const channel = await this.askedIn(actor, parent);
    requireInChannel(channel, 'message:react');
    const checked = checkedForm(parent.form.fields, values);
    const bot = await interactions.bot(await this.botUserOf(parent), channel.id);
    const { serverId, channelId, threadId, messageId, componentId } = parent;
    const place = { serverId, channelId, threadId, messageId, componentId };
    const draft = { kind: 'form' as const, ...place, command: null, parentId: parent.id, values: checked, nonce };
    return interactions.make(
      actor,
      bot,
      draft,
      async (change) => requireSame(await interactionTable.ofParent(change.rows, parent.id), values),
      (change) => closeForm(change, parent),
    );
  }

  /** An interaction as its bot got it. @throws AppError INTERACTION_NOT_FOUND for everyone else */
  async get(actor: Actor, id: string): Promise<InteractionRecord> {
    const row = await interactionTable.find(this.deps.database.rows, id);
    if (!row || row.agentId !== actor.agent?.id) throw new AppError('INTERACTION_NOT_FOUND');
    return interactionRecord(row, userOf(row.userId, row));
  }

  /** What the actor used lately and no bot is done with. */
  async open(actor: Actor): Promise<UseRecord[]> {
    return (await interactionTable.open(this.deps.database.rows, actor.userId)).map(useRecord);
  }

  /** Where a form is sent, if the actor may still use there what it came of. @throws AppError as `use`, COMMAND_NOT_ALLOWED */
  private async askedIn(actor: Actor, parent: InteractionWithUser): Promise<ChannelWithRights> {
    const { channelAccess, messageAccess, database } = this.deps;
    const { agentId, channelId, messageId, componentId, command } = parent;
    if (messageId !== null) {
      const { row, channel } = await messageAccess.open(actor, messageId);
      // The bot may have taken it away once it was used.
      const component = itemOf(row, componentId);
      if (component && !isFor(actor, channel, component)) throw new AppError('COMPONENT_NOT_FOR_YOU');
      return channel;
    }
    const channel = await channelAccess.entered(actor, channelId);
    await channelAccess.requireVoice(actor, channel);
    if (channel.isArchived) throw new AppError('CHANNEL_ARCHIVED');
    await channelAccess.requireUnblocked(actor, channel);
    const rules = command ? await rulesOf(database.rows, channel.serverId, [agentId]) : [];
    const asking = { userId: actor.userId, rights: channel.rights };
    if (command && !mayUse(rules, asking, agentId, command.name)) throw new AppError('COMMAND_NOT_ALLOWED');
    return channel;
  }

  private async botUserOf({ agentId }: InteractionWithUser): Promise<string> {
    const user = await interactionTable.botUser(this.deps.database.rows, agentId);
    if (user === undefined) throw new AppError('AGENT_NOT_FOUND');
    return user;
  }
}

/** Bots that used what bots offer would never stop. */
function requirePerson(actor: Actor): void {
  if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Only people use components.' });
}

/** @throws AppError COMPONENT_NOT_FOUND */
function componentOf(row: MessageRow, id: string): UsedComponent {
  const item = itemOf(row, id);
  if (!item) throw new AppError('COMPONENT_NOT_FOUND');
  return item;
}

function itemOf({ components }: MessageRow, id: string | null): UsedComponent | undefined {
  for (const item of components?.items ?? []) if (item.type !== 'link' && item.id === id) return item;
  return undefined;
}

/** @returns what was sent before, if it says the same. @throws AppError INTERACTION_ENDED for other values than those */
function requireSame<R extends Pick<NewInteraction, 'values'>>(sent: R | undefined, values: Values): R | undefined {
  if (sent && !areSame(sent.values, values)) {
    throw new AppError('INTERACTION_ENDED', { message: 'This form was sent before, with other values.' });
  }
  return sent;
}

/** Whether a component is for the actor (contract §6, Interactions). */
function isFor(actor: Actor, { rights }: ChannelWithRights, { usableBy }: UsedComponent): boolean {
  if (!usableBy) return true;
  if (usableBy.userIds.includes(actor.userId)) return true;
  // What is more than a member's is held back.
  if (!rights || rights.isHeldBack) return false;
  const isHigh = usableBy.role != null && roles.indexOf(rights.role) <= roles.indexOf(usableBy.role);
  return isHigh || rights.roleIds.some((id) => usableBy.roleIds.includes(id));
}

function placeOf({ id, thread_id: threadId }: MessageRow, { id: channelId, serverId }: ChannelWithRights) {
  return { serverId, channelId, threadId, messageId: id };
}

/** @throws AppError COMPONENT_USED */
async function takeOnce({ rows }: Change, one: NewInteraction, { uses }: UsedComponent): Promise<void> {
  if (uses === 'often') return;
  if (!(await interactionTable.takeOnce(rows, one, uses === 'once'))) throw new AppError('COMPONENT_USED');
}

/** No device shows the form any more. @throws AppError INTERACTION_ENDED if the bot has taken it back meanwhile */
async function closeForm(change: Change, parent: InteractionWithUser): Promise<void> {
  const current = await interactionTable.find(change.rows, parent.id);
  if (!current?.form) throw new AppError('INTERACTION_ENDED');
  const row = await interactionTable.update(change.rows, parent.id, { state: 'answered', note: null, form: null });
  if (row) change.publish(interactionUpdated.in(userRoom(parent.userId), useRecord(row)));
}

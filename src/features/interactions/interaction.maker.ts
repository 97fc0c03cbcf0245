import type { Actor, SmallUser } from '../../contract/actor.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import { interactionCreated, interactionUpdated, type UseRecord } from '../../contract/interaction.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { type AgentIdentity, actorOf } from '../accounts/agent.identity.ts';
import type { Context } from '../context.ts';
import { type InteractionRow, interactionTable, type NewInteraction } from './interaction.table.ts';
import { interactionRecord, useRecord } from './interaction.view.ts';

/** The bot that an interaction is for. */
export interface UsedBot {
  agentId: string;
  userId: string;
}

/** What someone did, before it is written. */
export type Draft = Omit<NewInteraction, 'id' | 'agentId' | 'userId'>;

export interface Made {
  use: UseRecord;
  /** It was made before. */
  repeated: boolean;
}

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess'> {
  agentIdentity: AgentIdentity;
}

/** Writes interactions: with the event in the bot's own log, in one transaction (contract §6, Interactions). */
export class InteractionMaker {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * The bot behind a user, where it takes interactions.
   * @throws AppError AGENT_NOT_FOUND once it was deleted, AGENT_STOPPED, BOT_ABSENT where it is not in the channel, or disabled
   */
  async bot(botUserId: string, channelId: string): Promise<UsedBot> {
    const agent = await this.deps.agentIdentity.find(botUserId);
    if (!agent) throw new AppError('AGENT_NOT_FOUND');
    if (agent.status === 'stopped' || agent.standing.suspended) throw new AppError('AGENT_STOPPED');
    const actor = actorOf(agent);
    const { channelAccess } = this.deps;
    const place = await channelAccess.entered(actor, channelId).catch(ifOutside);
    if (!place || !(await channelAccess.mayBeCommanded(actor, channelId))) throw new AppError('BOT_ABSENT');
    return { agentId: agent.id, userId: botUserId };
  }

  /** What someone did with a nonce within a day. */
  async madeWith(actor: Actor, nonce: string | null | undefined): Promise<Made | undefined> {
    if (!nonce) return undefined;
    return repeat(await interactionTable.byNonce(this.deps.database.rows, actor.userId, nonce));
  }

  /**
   * Writes an interaction once, and tells its bot and the person's devices.
   * @param earlier what it repeats, if it does: looked up when nobody else can write one of the same person for this bot
   * @param prepare what has to be true and done besides, in the same transaction
   * @throws AppError MESSAGE_NOT_FOUND when its channel is gone, and what `prepare` throws
   */
  make(
    { user }: { user: SmallUser },
    bot: UsedBot,
    draft: Draft,
    earlier: (change: Change, one: NewInteraction) => Promise<InteractionRow | undefined>,
    prepare: (change: Change, one: NewInteraction) => Promise<void> = async () => {},
  ): Promise<Made> {
    return this.deps.changes.run(async (change) => {
      const one = { ...draft, id: newId(), agentId: bot.agentId, userId: user.id };
      const { rows } = change;
      if (!(await interactionTable.holdChannel(rows, draft.channelId))) throw new AppError('MESSAGE_NOT_FOUND');
      await change.lock(userRoom(bot.userId), userRoom(user.id));
      const named = one.nonce === null ? undefined : await interactionTable.byNonce(rows, user.id, one.nonce);
      const known = repeat(named ?? (await earlier(change, one)));
      if (known) return known;
      await prepare(change, one);
      const row = await interactionTable.insert(rows, one);
      change.publish(interactionCreated.in(userRoom(bot.userId), interactionRecord(row, user)));
      change.publish(interactionUpdated.in(userRoom(user.id), useRecord(row)));
      return { use: useRecord(row), repeated: false };
    });
  }
}

const repeat = (row: InteractionRow | undefined): Made | undefined => row && { use: useRecord(row), repeated: true };

/** Outside of a channel is outside, whether one may know of it or not. */
function ifOutside(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'NOT_A_MEMBER') return undefined;
  return ifMissing(error);
}

import type { ChannelInfo } from '../../access/channel.access.ts';
import { lockUser } from '../../access/user.table.ts';
import type { Chore } from '../../cluster/chores.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError, missingAs } from '../../contract/errors.ts';
import { heldCreated, heldDecided, maxHeld } from '../../contract/held.ts';
import { requirePermission } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import { holdersOf, listenersAmong } from '../members/audience.table.ts';
import { lockMembers } from '../members/roster.ts';
import { asRefusal, holdForwards, requireRoomForCopies } from './forward.limits.ts';
import { copyForwardedFiles } from './forward.table.ts';
import { requireFollowing } from './head.table.ts';
import {
  countWaiting,
  type Decision,
  findHeld,
  forgetHeld,
  type HeldDraft,
  type HeldRow,
  heldBefore,
  holdFiles,
  insertHeld,
  settleHeld,
  waitingEdit,
} from './held.table.ts';
import { heldRecord } from './held.view.ts';

/** Thrown where something would be held, until it is: a repeat of what was sent before gets that instead. */
export class Withheld extends AppError {
  readonly draft: HeldDraft;

  constructor(draft: HeldDraft) {
    super('MESSAGE_HELD');
    this.draft = draft;
  }
}

/** How long what is held is kept. */
const keptDays = 14;
const forgottenAtOnce = 500;

/** Messages and edits that wait for a moderator (contract §6, Filters). */
export class Holding {
  private readonly deps: Pick<Context, 'database' | 'changes' | 'channelAccess'> & Pick<BlobsServices, 'allowance'>;

  constructor(deps: Holding['deps']) {
    this.deps = deps;
  }

  /**
   * Holds what a filter does not let through; the same nonce, Idempotency-Key or edit again is the first one.
   * @returns the answer for its author, to be thrown
   * @throws AppError NOT_A_MEMBER, HELD_LIMIT, HEAD_MOVED, ATTACHMENT_INVALID, MESSAGE_NOT_FOUND and QUOTA_EXCEEDED for what
   *   it forwards
   */
  async hold(actor: Actor, channel: Pick<ChannelInfo, 'id' | 'serverId'>, draft: HeldDraft): Promise<AppError> {
    const { id: channelId, serverId } = channel;
    if (serverId === null) throw new AppError('NOT_A_MEMBER');
    const said = { authorId: actor.userId, forward: draft.forward };
    const row = await this.deps.changes.run(async (change) => {
      const { rows } = change;
      await holdForwards(rows, this.deps.allowance, [said]).catch(asRefusal);
      // Two of one person are held one after the other.
      if (actor.hookChannelId) await lockUser(rows, actor.userId);
      else if (!(await lockMembers(change, serverId, [actor.userId])).has(actor.userId)) {
        throw new AppError('NOT_A_MEMBER');
      }
      const earlier = await this.earlier(change, actor, channelId, draft);
      if (earlier) return earlier;
      await requireFollowing(rows, { channelId, ...draft });
      if ((await countWaiting(rows, serverId, actor.userId)) >= maxHeld) throw new AppError('HELD_LIMIT');
      return this.insert(change, { serverId, channelId, authorId: actor.userId }, draft);
    });
    const held = heldRecord(row, 'author');
    return new AppError('MESSAGE_HELD', { extra: { heldId: held.heldId, held } });
  }

  /**
   * Something held, for those who decide about it in its channel; for others it does not exist.
   * @throws AppError HELD_NOT_FOUND, ROLE_REQUIRED
   */
  async decidable(actor: Actor, id: string): Promise<HeldRow> {
    const row = await findHeld(this.deps.database.rows, id);
    if (!row) throw new AppError('HELD_NOT_FOUND');
    const channel = await this.deps.channelAccess.visible(actor, row.channel_id).catch(missingAs('HELD_NOT_FOUND'));
    if (channel.rights === null || !(await this.readsAll(actor, channel.id))) throw new AppError('HELD_NOT_FOUND');
    requirePermission(channel.rights, 'held:decide');
    return row;
  }

  /** A bot that may not read all that is said in a channel reads nothing that is held there. */
  private async readsAll(actor: Actor, channelId: string): Promise<boolean> {
    const { channelAccess } = this.deps;
    return (await channelAccess.mayListen(actor, channelId)) && !(await channelAccess.onlyFor(actor, channelId));
  }

  /** Whether the actor decides about something held. */
  async isDecidedBy(actor: Actor, id: string): Promise<boolean> {
    return this.decidable(actor, id).then(
      () => true,
      (error) => {
        if (error instanceof AppError && error.status < 500) return false;
        throw error;
      },
    );
  }

  /** Decides once, and tells everyone concerned. @throws AppError HELD_DECIDED */
  async settle(change: Change, id: string, decision: Omit<Decision, 'at'>): Promise<HeldRow> {
    if (!(await settleHeld(change.rows, id, { ...decision, at: dateNow() }))) throw new AppError('HELD_DECIDED');
    const row = await existing(change, id);
    await this.tell(change, heldDecided, row);
    return row;
  }

  /** What the same request was held as. An edit that replaces one which waits takes that back. */
  private async earlier(
    change: Change,
    actor: Actor,
    channelId: string,
    draft: HeldDraft,
  ): Promise<HeldRow | undefined> {
    if (draft.kind !== 'edit') return heldBefore(change.rows, channelId, actor.userId, draft);
    if (draft.messageId === null) return undefined;
    const waiting = await waitingEdit(change.rows, actor.userId, channelId, draft.messageId);
    if (!waiting || waiting.content === draft.content) return waiting;
    await this.settle(change, waiting.id, {
      status: 'withdrawn',
      by: actor.userId,
      messageId: null,
      from: ['waiting'],
    });
    return undefined;
  }

  private async insert(
    change: Change,
    place: { serverId: string; channelId: string; authorId: string },
    draft: HeldDraft,
  ): Promise<HeldRow> {
    const id = newId();
    await insertHeld(change.rows, { ...place, id, createdAt: dateNow() }, draft);
    const kept = await holdFiles(change.rows, id, place.authorId, draft.attachmentIds);
    if (kept < draft.attachmentIds.length) throw new AppError('ATTACHMENT_INVALID');
    const { via = null, copies = [] } = draft.forward ?? {};
    const forwarded = via ? [{ userId: place.authorId, viaId: via.id, messageId: null, heldId: id, copies }] : [];
    if (!(await copyForwardedFiles(change.rows, forwarded))) throw new AppError('MESSAGE_NOT_FOUND');
    await requireRoomForCopies(change.rows, this.deps.allowance, [{ ...place, forward: draft.forward }]).catch(
      asRefusal,
    );
    const row = await existing(change, id);
    await this.tell(change, heldCreated, row);
    return row;
  }

  /** Tells those who decide, where they may know of the channel, and the author of what waits. */
  private async tell(change: Change, event: typeof heldCreated | typeof heldDecided, row: HeldRow): Promise<void> {
    const { server_id: serverId, author_id: authorId } = row;
    const holders = await holdersOf(change.rows, serverId, 'held:decide');
    const moderators = await listenersAmong(change.rows, serverId, holders, row.channel_id);
    const shown = { serverId, held: heldRecord(row, 'moderator') };
    for (const { id } of moderators) if (id !== authorId) change.publish(event.in(userRoom(id), shown));
    change.publish(event.in(userRoom(authorId), { serverId, held: heldRecord(row, 'author') }));
  }
}

async function existing(change: Change, id: string): Promise<HeldRow> {
  const row = await findHeld(change.rows, id);
  if (!row) throw new AppError('HELD_NOT_FOUND');
  return row;
}

/** What nobody has decided for two weeks, or was decided that long ago, is forgotten (contract §6). */
export const forgetOldHeld: Chore = {
  name: 'forget held messages',
  step: (rows) => forgetHeld(rows, keptDays, forgottenAtOnce),
};

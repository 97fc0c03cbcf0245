import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { type DraftRecord, draftUpdated, type putDraftSchema } from '../../contract/draft.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import { attachmentRecord } from '../messages/message.view.ts';
import { type DraftRow, draftTable } from './draft.table.ts';

type Deps = Pick<Context, 'database' | 'changes' | 'channelAccess' | 'threadAccess' | 'settings'>;

interface DraftPlace {
  channelId: string;
  threadId: string | null;
}

interface DraftState {
  draft: DraftRecord | null;
}

/**
 * What people have begun to write, on all of their devices (contract §7, Later). A draft is only replaced by one that was
 * made from it: a device that was offline gets the newer one, and keeps its own.
 */
export class DraftService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Where the actor may still read; those changed last first. */
  async list(actor: Actor): Promise<DraftRecord[]> {
    return (await draftTable.all(this.deps.database.rows, actor.userId)).map(draftRecord);
  }

  /** @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, THREAD_NOT_FOUND */
  async get(actor: Actor, place: DraftPlace): Promise<DraftState> {
    await this.requirePlace(actor, place);
    return { draft: orNull(await draftTable.find(this.deps.database.rows, actor.userId, idOf(place))) };
  }

  /**
   * Keeps a draft that was made from the present one, and its files; one without text and files ends it.
   * @throws AppError DRAFT_CHANGED with the present draft, DRAFT_LIMIT, FORBIDDEN for bots, and as `get`
   */
  async put(actor: Actor, channelId: string, input: z.output<typeof putDraftSchema>): Promise<DraftState> {
    const { threadId = null, replyToId = null, attachments, revision } = input;
    const place = { channelId, threadId };
    if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no drafts.' });
    await this.requirePlace(actor, place);
    const content = input.content.trim() === '' ? '' : input.content;
    if (content === '' && !attachments?.length) return this.end(actor, place, revision);
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      const before = await this.current(change, actor, place);
      requireSame(before, revision);
      const given = attachments ?? before?.attachments?.map(({ id }) => id) ?? [];
      const fileIds = await draftTable.unsentOf(rows, actor.userId, given);
      if (content === '' && fileIds.length === 0) return this.remove(change, actor, place, before);
      if (!before) await this.requireRoom(rows, actor.userId);
      const draft = orNull(await draftTable.put(rows, actor.userId, { ...place, replyToId, content, fileIds }));
      publish(change, actor, place, draft);
      return { draft };
    });
  }

  /**
   * Ends a draft, also where its user may no longer read; without one nothing changes.
   * @throws AppError DRAFT_CHANGED with the present draft, if that is another one; as `get` without one
   */
  end(actor: Actor, place: DraftPlace, revision: number | null): Promise<DraftState> {
    return this.deps.changes.run(async (change) => {
      const before = await this.current(change, actor, place);
      if (!before) {
        await this.requirePlace(actor, place);
        return { draft: null };
      }
      requireSame(before, revision);
      return this.remove(change, actor, place, before);
    });
  }

  private async remove(change: Change, actor: Actor, place: DraftPlace, before?: DraftRow): Promise<DraftState> {
    if (!before) return { draft: null };
    await draftTable.remove(change.rows, actor.userId, idOf(place));
    publish(change, actor, place, null);
    return { draft: null };
  }

  /** Those that their user can neither see nor discard any more go where there is no room. */
  private async requireRoom(rows: Rows, userId: string): Promise<void> {
    const most = this.deps.settings.limits.drafts;
    if ((await draftTable.count(rows, userId)) < most) return;
    await draftTable.removeHidden(rows, userId);
    if ((await draftTable.count(rows, userId)) >= most) throw new AppError('DRAFT_LIMIT');
  }

  /** The present draft, which nobody else changes until the commit. */
  private async current(change: Change, actor: Actor, place: DraftPlace): Promise<DraftRow | undefined> {
    await lockUser(change.rows, actor.userId);
    return draftTable.find(change.rows, actor.userId, idOf(place));
  }

  private async requirePlace(actor: Actor, { channelId, threadId }: DraftPlace): Promise<void> {
    await this.deps.channelAccess.entered(actor, channelId);
    if (threadId === null) return;
    const { thread } = await this.deps.threadAccess.entered(actor, threadId);
    if (thread.channelId !== channelId) throw new AppError('THREAD_NOT_FOUND');
  }
}

const idOf = ({ channelId, threadId }: DraftPlace): string => threadId ?? channelId;

function draftRecord(row: DraftRow): DraftRecord {
  return {
    channelId: row.channel_id,
    threadId: row.thread_id,
    content: row.content,
    attachments: row.attachments?.map(attachmentRecord) ?? [],
    replyToId: row.reply_to_id,
    revision: row.revision,
    updatedAt: isoTime(row.updated_at),
  };
}

const orNull = (row: DraftRow | undefined): DraftRecord | null => (row ? draftRecord(row) : null);

function requireSame(row: DraftRow | undefined, revision: number | null): void {
  if ((row?.revision ?? null) !== revision) throw new AppError('DRAFT_CHANGED', { extra: { draft: orNull(row) } });
}

function publish(change: Change, actor: Actor, place: DraftPlace, draft: DraftRecord | null): void {
  const revision = draft?.revision ?? null;
  change.publish(draftUpdated.in(userRoom(actor.userId), { ...place, revision }));
}

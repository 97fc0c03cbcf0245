import { MAX } from 'uuid';
import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type changeLaterSchema,
  type LaterEntry,
  laterRemoved,
  laterUpdated,
  type listLaterSchema,
  type savedItemSchema,
  type saveForLaterSchema,
} from '../../contract/later.ts';
import { userRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor, invalid } from '../../contract/schema/validation.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { requireAhead } from '../../infrastructure/ahead.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Context } from '../context.ts';
import type { MessageAccess } from '../messages/message.access.ts';
import { findMessages } from '../messages/message.table.ts';
import { reminderKind } from './reminders.ts';
import { type SavedRow, savedTable } from './saved.table.ts';
import { laterEntry, savedItem } from './saved.view.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess' | 'jobs' | 'settings'> {
  messageAccess: MessageAccess;
}

const noteNeeded = { path: 'note', message: 'must be given where there is no message', code: 'custom' };

/** A saved item as it is to be. */
interface Next {
  note: string | null;
  remindAt: string | null;
  doneAt: string | null;
}

/**
 * What people save for later, and are reminded of (contract §7, Later). Changes of one person run one at a time; locks are
 * taken in the order user, job, item: the job of a reminder has itself before it takes its item.
 */
export class SavedService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Newest first. @throws AppError INVALID_CURSOR */
  async list(actor: Actor, query: z.output<typeof listLaterSchema>): Promise<ListPage<LaterEntry>> {
    const { rows } = this.deps.database;
    const before = idCursor(query.cursor) ?? MAX;
    const page = { status: query.status, before, limit: query.limit + 1 };
    const found = await savedTable.page(rows, actor.userId, page);
    return listPage(await entriesOf(rows, found), query.limit, (entry) => entry);
  }

  /** What the actor saved in a channel and has not done. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async inChannel(actor: Actor, channelId: string): Promise<z.output<typeof savedItemSchema>[]> {
    await this.deps.channelAccess.readable(actor, channelId);
    return (await savedTable.inChannel(this.deps.database.rows, actor.userId, channelId)).map(savedItem);
  }

  /** @throws AppError LATER_NOT_FOUND */
  async get(actor: Actor, id: string): Promise<LaterEntry> {
    const { rows } = this.deps.database;
    return entryOf(rows, await found(rows, id, actor));
  }

  /**
   * Saves a message that the actor may read, or sets a reminder without one. What is saved already is changed.
   * @throws AppError MESSAGE_NOT_FOUND, NOT_A_MEMBER, LATER_LIMIT, VALIDATION_FAILED for a time that is over or too far
   *   away, FORBIDDEN for bots
   */
  async save(actor: Actor, input: z.output<typeof saveForLaterSchema>): Promise<{ entry: LaterEntry; isNew: boolean }> {
    if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots save nothing for later.' });
    const { messageId, note = null, remindAt = null } = input;
    if (remindAt !== null) requireAhead('remindAt', remindAt);
    const message = messageId === undefined ? null : await this.deps.messageAccess.readable(actor, messageId);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      const known = message && (await savedTable.ofMessage(change.rows, actor.userId, message.row.id));
      if (known)
        return { entry: await this.update(change, known, changedBy(known, { ...input, isDone: false })), isNew: false };
      if ((await savedTable.count(change.rows, actor.userId)) >= this.deps.settings.limits.savedItems) {
        throw new AppError('LATER_LIMIT');
      }
      const id = newId();
      const of = { messageId: message?.row.id ?? null, channelId: message?.channel.id ?? null };
      await this.remind(change, id, remindAt);
      await savedTable.insert(change.rows, { id, userId: actor.userId, ...of, note, remindAt, at: dateNow() });
      return { entry: await this.publish(change, await found(change.rows, id, actor)), isNew: true };
    });
  }

  /**
   * @throws AppError LATER_NOT_FOUND, VALIDATION_FAILED for a time that is over or too far away, or where neither a message
   *   nor a note would be left
   */
  async change(actor: Actor, id: string, input: z.output<typeof changeLaterSchema>): Promise<LaterEntry> {
    if (input.remindAt) requireAhead('remindAt', input.remindAt);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      const row = await found(change.rows, id, actor);
      if (input.note === null && row.message_id === null) throw invalid([noteNeeded]);
      return this.update(change, row, changedBy(row, input));
    });
  }

  /** @throws AppError LATER_NOT_FOUND */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      const row = await found(change.rows, id, actor);
      await this.deps.jobs.cancel(change, reminderKind, id);
      await savedTable.remove(change.rows, id);
      change.publish(laterRemoved.in(userRoom(actor.userId), { id, messageId: row.message_id }));
    });
  }

  private async update(change: Change, row: SavedRow, next: Next): Promise<LaterEntry> {
    if (next.remindAt !== isoTimeOrNull(row.remind_at)) await this.remind(change, row.id, next.remindAt);
    await savedTable.update(change.rows, row.id, { ...next, at: dateNow() });
    const now = await savedTable.find(change.rows, row.id, row.user_id);
    return this.publish(change, now ?? row);
  }

  private async remind(change: Change, id: string, remindAt: string | null): Promise<void> {
    const { jobs } = this.deps;
    if (remindAt === null) return jobs.cancel(change, reminderKind, id);
    await jobs.add(change, reminderKind, { id, at: remindAt }, { key: id, runAt: new Date(remindAt) });
  }

  private async publish(change: Change, row: SavedRow): Promise<LaterEntry> {
    change.publish(laterUpdated.in(userRoom(row.user_id), { item: savedItem(row) }));
    return entryOf(change.rows, row);
  }
}

/** What is not given stays. What is done has no reminder, and a new reminder opens it again. */
function changedBy(row: SavedRow, input: z.output<typeof changeLaterSchema>): Next {
  const note = input.note === undefined ? row.note : input.note;
  const isDone = input.isDone ?? (row.done_at !== null && !input.remindAt);
  if (isDone) return { note, remindAt: null, doneAt: isoTimeOrNull(row.done_at ?? dateNow()) };
  return { note, remindAt: input.remindAt === undefined ? isoTimeOrNull(row.remind_at) : input.remindAt, doneAt: null };
}

async function found(rows: Rows, id: string, actor: Actor): Promise<SavedRow> {
  const row = await savedTable.find(rows, id, actor.userId);
  if (!row) throw new AppError('LATER_NOT_FOUND');
  return row;
}

async function entryOf(rows: Rows, row: SavedRow): Promise<LaterEntry> {
  const [entry] = await entriesOf(rows, [row]);
  return entry ?? laterEntry(row, undefined);
}

/** With their messages, as far as those are there and may be read; in one statement. */
async function entriesOf(rows: Rows, found: SavedRow[]): Promise<LaterEntry[]> {
  const ids = found.flatMap(({ message_id: id, may_read: mayRead }) => (mayRead && id !== null ? [id] : []));
  const messages = ids.length > 0 ? await findMessages(rows, ids) : [];
  const byId = new Map(messages.filter((row) => !row.is_deleted).map((row) => [row.id, row]));
  return found.map((row) => laterEntry(row, byId.get(row.message_id ?? '')));
}

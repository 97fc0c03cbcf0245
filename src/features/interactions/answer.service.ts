import type { Actor } from '../../contract/actor.ts';
import type { Form } from '../../contract/component.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type Answer,
  type Answered,
  type EphemeralRecord,
  ephemeralCreated,
  ephemeralRemoved,
  interactionUpdated,
  maxChanges,
  type UseState,
} from '../../contract/interaction.ts';
import { userRoom } from '../../contract/rooms.ts';
import { invalid } from '../../contract/schema/validation.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Context } from '../context.ts';
import { type Filters, textsIn } from '../filters/filters.ts';
import type { MessageService } from '../messages/message.service.ts';
import { ephemeralTable } from './ephemeral.table.ts';
import { type InteractionRow, interactionTable } from './interaction.table.ts';
import { ephemeralRecord, useRecord } from './interaction.view.ts';

type Of<T extends Answer['type']> = Extract<Answer, { type: T }>;

/** What an answer makes of the use; a form stays until another answer says what becomes of it. */
interface Told {
  state: UseState;
  note?: string | null;
  form?: Form | null;
}

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess'> {
  messages: MessageService;
  filters: Filters;
}

/**
 * What bots answer to interactions (contract §6, Interactions). An answer may be given again after a crash at any point: what
 * it makes is made once, and all else is the same twice.
 */
export class AnswerService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @throws AppError INTERACTION_NOT_FOUND, INTERACTION_ENDED, ANSWER_LIMIT, MESSAGE_REFUSED, and as `ChannelAccess.postable`,
   *   `MessageService.edit` and `MessageService.send`
   */
  async answer(actor: Actor, id: string, answer: Answer): Promise<Answered> {
    const row = await interactionTable.find(this.deps.database.rows, id);
    if (!row || row.agentId !== actor.agent?.id) throw new AppError('INTERACTION_NOT_FOUND');
    if (row.isOver) throw new AppError('INTERACTION_ENDED');
    // A bot answers where it may write, whatever it answers.
    const channel = await this.deps.channelAccess.postable(actor, row.channelId);
    await this.deps.filters.require(actor, channel, textsOf(answer));
    switch (answer.type) {
      case 'update':
        return this.update(actor, row, answer);
      case 'reply':
        return this.reply(actor, row, answer);
      case 'ephemeral':
        return this.ephemeral(row, answer);
      case 'form':
        return this.told(row, { state: 'answered', form: answer.form });
      case 'working':
        return this.told(row, { state: 'working', note: answer.note ?? null });
      case 'done':
        return this.told(row, { state: 'answered', form: null });
    }
  }

  private async update(actor: Actor, row: InteractionRow, { content, components }: Of<'update'>): Promise<Answered> {
    if (row.messageId === null) throw new AppError('MESSAGE_NOT_FOUND');
    if (content === undefined && components === undefined) {
      throw invalid([{ path: 'content', message: 'must be given, or `components`', code: 'custom' }]);
    }
    const message = await this.deps.messages.edit(actor, row.messageId, { content, components });
    return { ...(await this.told(row, { state: 'answered' })), message };
  }

  private async reply(actor: Actor, row: InteractionRow, answer: Of<'reply'>): Promise<Answered> {
    const { content, attachments, components, nonce } = answer;
    if (content === '' && !attachments?.length && !components) {
      throw invalid([{ path: 'content', message: 'must not be empty', code: 'too_small' }]);
    }
    const key = await this.reserve(row, `reply ${nonce ?? ''}`);
    const input = { content, attachments, components, threadId: row.threadId, replyToId: row.messageId };
    const options = { idempotencyKey: `interaction ${row.id} ${key}`, answersUse: true };
    const { result: message } = await this.deps.messages.send(actor, row.channelId, input, options);
    return { ...(await this.told(row, { state: 'answered' })), message };
  }

  private async ephemeral(row: InteractionRow, { content, nonce }: Of<'ephemeral'>): Promise<Answered> {
    const key = await this.reserve(row, `ephemeral ${nonce ?? ''}`);
    const id = newId();
    const room = userRoom(row.userId);
    return this.deps.changes.run(async (change) => {
      await change.lock(room);
      const isNew = await ephemeralTable.insert(change.rows, id, row, { key, content });
      const kept = await ephemeralTable.byKey(change.rows, row.id, key);
      if (!kept) throw new AppError('INTERACTION_NOT_FOUND');
      const ephemeral = ephemeralRecord(kept);
      if (isNew) await this.show(change, row.userId, ephemeral);
      return { ...(await tell(change, row, { state: 'answered' })), ephemeral };
    });
  }

  private async show(change: Change, userId: string, ephemeral: EphemeralRecord): Promise<void> {
    change.publish(ephemeralCreated.in(userRoom(userId), ephemeral));
    for (const old of await ephemeralTable.crowdOut(change.rows, userId)) {
      change.publish(ephemeralRemoved.in(userRoom(userId), old));
    }
  }

  /** @throws AppError ANSWER_LIMIT */
  private async reserve(row: InteractionRow, key: string): Promise<string> {
    if (!(await interactionTable.reserve(this.deps.database.rows, row.id, key))) throw new AppError('ANSWER_LIMIT');
    return key;
  }

  private told(row: InteractionRow, told: Told): Promise<Answered> {
    return this.deps.changes.run(async (change) => {
      await change.lock(userRoom(row.userId));
      return tell(change, row, told);
    });
  }
}

/** What filters judge of an answer; messages have filters of their own. */
function textsOf(answer: Answer): string[] {
  if (answer.type === 'ephemeral') return [answer.content];
  if (answer.type === 'form') return textsIn(answer.form);
  return answer.type === 'working' && answer.note ? [answer.note] : [];
}

/**
 * Tells the person's devices how far the bot is, if that is something else than before; the person's log must be locked. A form
 * that was sent is not asked for again: the bot may have died before it knew.
 * @throws AppError INTERACTION_NOT_FOUND, ANSWER_LIMIT for what may go on and on
 */
async function tell(change: Change, { id, userId }: InteractionRow, told: Told): Promise<Answered> {
  const before = await interactionTable.find(change.rows, id);
  if (!before) throw new AppError('INTERACTION_NOT_FOUND');
  const { state, note = null } = told;
  const isSent = told.form != null && (await interactionTable.ofParent(change.rows, id)) !== undefined;
  const form = told.form === undefined || isSent ? before.form : told.form;
  const now = { state, note, form };
  const was = { state: before.state, note: before.note, form: before.form };
  if (JSON.stringify(now) === JSON.stringify(was)) return { interactionId: id, state };
  const mayGoOn = state === 'working' || told.form != null;
  if (mayGoOn && before.changes >= maxChanges) throw new AppError('ANSWER_LIMIT');
  const row = await interactionTable.update(change.rows, id, now);
  if (row) change.publish(interactionUpdated.in(userRoom(userId), useRecord(row)));
  return { interactionId: id, state };
}

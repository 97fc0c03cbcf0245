import { lockUser, requireStaying } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import type { ErrorCode } from '../../contract/error-codes.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import { scheduledRemoved, scheduledUpdated } from '../../contract/scheduled.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { type OutsideWork, outsideWork } from '../../jobs/job.kind.ts';
import type { AgentIdentity } from '../accounts/agent.identity.ts';
import type { Identity } from '../accounts/identity.ts';
import type { Context } from '../context.ts';
import { heldBefore } from '../messages/held.table.ts';
import type { MessageService } from '../messages/message.service.ts';
import { writeNotifications } from '../notifications/notification.writer.ts';
import { laneKind, planLane } from './lanes.ts';
import { type Lane, type ScheduledRow, scheduledTable } from './scheduled.table.ts';
import { sentenceOf } from './scheduled.view.ts';

/** Longer than any outage should be: nobody wants to send it all once more by hand. */
const retries = { attempts: 1000, firstMs: 500, longestMs: 30_000 };
/** After so many failures on our side one message no longer keeps those behind it from going out. */
const patience = 10;
const limitMs = 10 * 60_000;
/** A node that died is replaced after so long. */
const leaseMs = 5000;
/** Lanes that a node works on at once. */
const concurrency = 8;
/** Messages of a lane that go out before other lanes have their turn. */
const mostInARow = 200;

interface Deps extends Pick<Context, 'database' | 'changes' | 'operations' | 'jobs' | 'limits' | 'settings'> {
  messages: MessageService;
  identity: Identity;
  agentIdentity: AgentIdentity;
}

/** What became of a message. */
type Outcome =
  | { kind: 'sent'; messageId: string }
  | { kind: 'held' }
  | { kind: 'failed'; code: ErrorCode }
  | { kind: 'slowed'; seconds: number };

/** A message that is to be sent now. */
interface Marked {
  row: ScheduledRow;
  /** It was marked before: it may have been sent. */
  isRepeat: boolean;
}

interface Tried {
  row: ScheduledRow;
  outcome: Outcome;
}

/**
 * Sends what is scheduled when it is due, with the rights that its author has then (contract §7, Later). A lane's messages go
 * out one after the other: each is marked, sent with a key that is its own, and removed. Whoever takes over a lane, or works
 * on it at the same time, begins with the marked one, and by its key finds it sent: none is doubled or overtaken.
 */
export class ScheduledSender {
  private readonly deps: Deps;
  /** Of this node, since its start. */
  readonly counters = { sent: 0, held: 0, failed: 0, slowed: 0 };

  constructor(deps: Deps) {
    this.deps = deps;
  }

  get work(): OutsideWork {
    return outsideWork(
      laneKind,
      async (_, { data, attempts }) =>
        (over) =>
          this.run(data, attempts, over),
      {
        retries,
        concurrency,
        limitMs,
        leaseMs,
      },
    );
  }

  private async run(lane: Lane, attempts: number, over: AbortSignal): Promise<void> {
    let last: Tried | null = null;
    for (let count = 0; ; count++) {
      const isEnough = count === mostInARow || last?.outcome.kind === 'slowed';
      const next: Marked | null = await this.advance(lane, last, isEnough, over);
      if (last) this.counters[last.outcome.kind]++;
      if (!next) return;
      last = { row: next.row, outcome: await this.send(next, attempts) };
    }
  }

  /** Settles what was tried last and marks the next one in one change; or plans the rest of the lane. */
  private advance(lane: Lane, last: Tried | null, isEnough: boolean, over: AbortSignal): Promise<Marked | null> {
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, lane.userId);
      if (last) await this.settle(change, last);
      // Its job is with another node, or left to one.
      if (over.aborted) return null;
      const marked = isEnough ? null : await mark(change, lane);
      if (!marked) await planLane(change, this.deps.jobs, lane, waitOf(last?.outcome));
      return marked;
    });
  }

  /** @throws what is to be tried again: it may have been sent */
  private async send({ row, isRepeat }: Marked, attempts: number): Promise<Outcome> {
    const lane = { userId: row.user_id, channelId: row.channel_id };
    const idempotencyKey = `scheduled ${row.id}`;
    try {
      const earlier = isRepeat && (await this.earlier(lane, idempotencyKey));
      if (earlier) return earlier;
      const author = await this.author(lane.userId);
      await requireStaying(this.deps.database.rows, lane.userId);
      // What was scheduled for one moment must not flood a channel.
      const quota = isRepeat ? null : this.deps.limits.takeMessage(author);
      if (quota?.exceeded) return { kind: 'slowed', seconds: Math.ceil(quota.resetMs / 1000) };
      const attachments = row.attachments?.map(({ id }) => id) ?? [];
      const { content, metadata, thread_id: threadId, reply_to_id: replyToId } = row;
      const input = { content, attachments, threadId, replyToId, metadata };
      const options = { idempotencyKey, scheduledId: row.id };
      // As a request of theirs: it is not committed once they have lost the right.
      const { result } = await this.deps.operations.run(
        () => this.requireOurs(row),
        () => this.deps.messages.send(author, lane.channelId, input, options),
      );
      return { kind: 'sent', messageId: result.id };
    } catch (error) {
      return outcomeOf(error, attempts);
    }
  }

  /** What became of it before a node died. A key in a request counts for a day only, and an outage may last longer. */
  private async earlier(lane: Lane, sentKey: string): Promise<Outcome | undefined> {
    const { rows } = this.deps.database;
    const messageId = await scheduledTable.wasSent(rows, lane, sentKey);
    if (messageId) return { kind: 'sent', messageId };
    const held = await heldBefore(rows, lane.channelId, lane.userId, { nonce: null, sentKey });
    return held && { kind: 'held' };
  }

  /**
   * Asked again right before the commit if the node was frozen meanwhile: another one may have taken the message up, and its
   * author may have cancelled it since.
   */
  private async requireOurs(row: ScheduledRow): Promise<void> {
    if (!(await scheduledTable.isMarked(this.deps.database.rows, row))) throw new AppError('SCHEDULED_NOT_FOUND');
    await this.author(row.user_id);
  }

  /** @throws AppError ACCOUNT_SUSPENDED, AGENT_STOPPED for bots: stopped, or their owner suspended */
  private async author(userId: string): Promise<Actor> {
    const person = await this.deps.identity.person(userId);
    if (person) return person;
    const bot = await this.deps.agentIdentity.actor(userId);
    if (bot) return bot;
    throw new AppError((await this.deps.agentIdentity.find(userId)) ? 'AGENT_STOPPED' : 'ACCOUNT_SUSPENDED');
  }

  private async settle(change: Change, { row, outcome }: Tried): Promise<void> {
    const { id, channel_id: channelId, user_id: userId } = row;
    if (outcome.kind === 'slowed') return void (await scheduledTable.giveBack(change.rows, row, 'waiting'));
    if (outcome.kind === 'failed') return this.fail(change, row, outcome.code);
    // Another node may have said so already.
    if (!(await scheduledTable.remove(change.rows, id))) return;
    const messageId = outcome.kind === 'sent' ? outcome.messageId : null;
    change.publish(scheduledRemoved.in(userRoom(userId), { id, channelId, reason: outcome.kind, messageId }));
  }

  /** It stays with the reason, and its author is notified. */
  private async fail(change: Change, row: ScheduledRow, code: ErrorCode): Promise<void> {
    const { id, user_id: userId, channel_id: channelId, thread_id: threadId } = row;
    if (!(await scheduledTable.giveBack(change.rows, row, 'failed', code))) return;
    await change.lock(userRoom(userId));
    const reference = { referenceType: 'scheduled', referenceId: id };
    const said = { title: 'A scheduled message was not sent', body: sentenceOf(code), at: dateNow() };
    const place = {
      senderId: null,
      serverId: null,
      channelId: null,
      onlyUnderAll: false,
      threadId: null,
      onlyIfUnread: false,
      isAnnounced: false,
    };
    const draft = { userId, kind: 'message.not_sent' as const, ...place, ...reference, ...said };
    await writeNotifications(change, [draft], this.deps.settings);
    const data = { id, channelId, threadId, status: 'failed', sendAt: isoTime(row.send_at) } as const;
    change.publish(scheduledUpdated.in(userRoom(userId), data));
  }
}

/** Marks the next due message of a lane: from here on nobody changes or cancels it. */
async function mark({ rows }: Change, lane: Lane): Promise<Marked | null> {
  const due = await scheduledTable.nextDue(rows, lane);
  if (!due) return null;
  await scheduledTable.mark(rows, due.id);
  const row = await scheduledTable.find(rows, due.id, lane.userId);
  return row ? { row, isRepeat: due.status === 'sending' } : null;
}

/** @throws the error if it says nothing of the message itself */
function outcomeOf(error: unknown, attempts: number): Outcome {
  const isKnown = error instanceof AppError;
  if (isKnown && error.code === 'MESSAGE_HELD') return { kind: 'held' };
  // Those behind it wait with it, so the order stays.
  if (isKnown && error.code === 'SLOW_MODE') return { kind: 'slowed', seconds: error.retryAfter ?? 1 };
  if (isKnown && error.status < 500) return { kind: 'failed', code: error.code };
  const isPassing = isKnown && error.status === 503;
  if (!isPassing && attempts >= patience) return { kind: 'failed', code: 'INTERNAL_ERROR' };
  throw error;
}

function waitOf(outcome: Outcome | undefined): Date | null {
  return outcome?.kind === 'slowed' ? new Date(dateNow().getTime() + outcome.seconds * 1000) : null;
}

import { isDirect } from '../../contract/channel.ts';
import { type Room, userRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { tellFollowers } from '../../jobs/audience.jobs.ts';
import { closePlaceNow } from '../../jobs/closed-places.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import {
  atOnce,
  type BroadcastJob,
  type ClosedPlaceJob,
  insertJobs,
  type NewsJob,
  type NotificationJob,
  type NotificationQueue,
  portion,
} from '../../jobs/notification.jobs.ts';
import type { DigestSettings } from '../../settings/mail-settings.ts';
import type { DirectActivity, Returning } from '../direct/direct.activity.ts';
import type { Audience } from '../members/audience.ts';
import { followNamed, type NamedIn } from '../messages/thread-replies.table.ts';
import { addAudience } from './audience-notices.ts';
import type { NotificationDraft } from './draft.ts';
import {
  broadcastsOf,
  draftOf,
  draftsOfEdits,
  draftsOfMessages,
  namedByEdits,
  notYetNotified,
  quoted,
  readNoted,
} from './message-notices.ts';
import { audienceOf, type NotedMessage } from './noted-message.table.ts';
import { writeNotifications } from './notification.writer.ts';
import { markSettled, type Settled, settledBy } from './open-questions.ts';
import type { Stale, Withdrawn } from './quote.table.ts';
import { readStale, renewQuotes } from './quotes.ts';
import { draftsOfSystem } from './system-notices.ts';
import { readWithdrawn, withdraw } from './withdrawal.ts';

/** How many users one broadcast notifies at most (contract §6). */
const broadcastLimit = 5000;

/** Who is online, for `@here`. */
export interface OnlineUsers {
  isOnline(userId: string): boolean;
}

/** The work that some jobs require. */
interface Plan {
  /** Notifications to make. */
  drafts: NotificationDraft[];
  /** For messages that mention everyone. */
  called: NotificationDraft[];
  /** For messages that were edited, whose users may have been notified of them before. */
  ofEdits: NotificationDraft[];
  /** People whom edits name in replies. */
  named: NamedIn[];
  /** Ids of messages that were edited or deleted, and the notifications that quote their former text. */
  changed: string[];
  stale: Stale[];
  /** Notifications to take those messages out of. */
  withdrawn: Withdrawn[];
  /** People whose sockets are to be put back into a DM. */
  returning: Returning[];
  news: { job: NewsJob; people: string[]; rest: NewsJob[] }[];
  settled: Settled[];
  closings: ClosedPlaceJob[];
  /** Jobs for the work left for later. */
  rest: NotificationJob[];
}

interface Deps {
  direct: DirectActivity;
  online: OnlineUsers;
  audience: Audience;
  queue: NotificationQueue;
  jobs: Jobs;
  settings: DigestSettings;
}

/** Turns jobs into notifications and their events, in the change that deletes the jobs. */
export class NotificationMaker {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async make(change: Change, jobs: NotificationJob[]): Promise<void> {
    const plan = await this.plan(change, jobs);
    await insertJobs(change.rows, plan.rest);
    // Locked all at once, so that transactions do not deadlock.
    await change.lock(...logsOf(plan));
    const isMoreStale = await this.carryOut(change, plan);
    if (plan.rest.length > 0 || isMoreStale) change.afterCommit(() => this.deps.queue.wake());
  }

  /** Plans the work of the jobs, and records which DMs were used. */
  private async plan(change: Change, jobs: NotificationJob[]): Promise<Plan> {
    const { rows } = change;
    const messages = await readNoted(rows, jobs);
    const ofMessages = jobsOf('message', jobs);
    const drafts = await draftsOfMessages(rows, ofMessages, messages);
    await addAudience(change, this.deps.jobs, ofMessages, messages);
    const rest: NotificationJob[] = broadcastsOf(ofMessages, messages, drafts);
    const called: NotificationDraft[] = [];
    for (const job of jobsOf('broadcast', jobs)) {
      const piece = await this.broadcast(change, job, messages.get(job.messageId));
      called.push(...piece.drafts);
      rest.push(...piece.rest);
    }
    const news = await this.newsOf(change, jobs);
    const settled = await settledBy(rows, jobs);
    for (const piece of [...news, ...settled]) rest.push(...piece.rest);
    drafts.push(...(await draftsOfSystem(rows, jobsOf('system', jobs))));
    const named = namedByEdits(jobsOf('edit', jobs), messages);
    await tellFollowers(
      rows,
      named.map(({ threadId }) => threadId),
    );
    const changed = jobs.flatMap(changedBy);
    const sent = new Set(ofMessages.map(({ messageId }) => messageId));
    const direct = [...messages.values()].filter(({ id, channel_kind: kind }) => isDirect(kind) && sent.has(id));
    return {
      drafts,
      called,
      ofEdits: draftsOfEdits(jobsOf('edit', jobs), messages),
      named,
      changed,
      stale: await readStale(rows, changed),
      withdrawn: await readWithdrawn(rows, changed),
      returning: await this.deps.direct.touch(rows, direct, jobsOf('dm', jobs)),
      news,
      settled,
      closings: jobsOf('farewell', jobs),
      rest,
    };
  }

  /** The logs of all people concerned must be locked. @returns whether quotes are left for a later change */
  private async carryOut(change: Change, plan: Plan): Promise<boolean> {
    const { changed, stale, withdrawn } = plan;
    for (const { userId, channelId, since } of plan.returning) {
      await this.deps.direct.announce(change, userId, channelId, since);
    }
    await followNamed(change.rows, plan.named);
    const told = await withdraw(change, withdrawn);
    const ofEdits = await notYetNotified(change.rows, plan.ofEdits, [...plan.drafts, ...plan.called]);
    // Someone may have been notified of a word in a message before its mention of everyone reached them.
    const called = await notYetNotified(change.rows, plan.called, []);
    const drafts = await quoted(change.rows, [...plan.drafts, ...called, ...ofEdits]);
    await writeNotifications(change, drafts, this.deps.settings);
    const isMoreStale = (await renewQuotes(change, changed, stale, told)) || withdrawn.length === atOnce;
    if (isMoreStale) await insertJobs(change.rows, [{ job: 'erasure', messageIds: changed }]);
    for (const piece of plan.settled) await markSettled(change, piece);
    for (const job of plan.closings) await closePlaceNow(change, job, job.users);
    for (const piece of plan.news) await this.deps.audience.publishNow(change, piece.job, piece.people);
    return isMoreStale;
  }

  /** The people that news jobs publish to now, and jobs for the rest. */
  private async newsOf(change: Change, jobs: NotificationJob[]): Promise<Plan['news']> {
    const pieces: Plan['news'] = [];
    for (const job of jobsOf('news', jobs)) pieces.push({ job, ...(await this.deps.audience.next(change.rows, job)) });
    return pieces;
  }

  /** The next portion of a broadcast, and a job for the rest. */
  private async broadcast(
    change: Change,
    job: BroadcastJob,
    message: NotedMessage | undefined,
  ): Promise<{ drafts: NotificationDraft[]; rest: BroadcastJob[] }> {
    if (!message?.server_id) return { drafts: [], rest: [] };
    const people = await audienceOf(change.rows, message, job.after, portion);
    const meant = people
      .filter((userId) => !job.except.includes(userId) && (!job.here || this.deps.online.isOnline(userId)))
      .slice(0, broadcastLimit - job.told);
    const last = people.at(-1);
    const told = job.told + meant.length;
    const isMore = last !== undefined && people.length === portion && told < broadcastLimit;
    return {
      drafts: meant.map((userId) => draftOf(message, userId, 'message.mention')),
      rest: isMore ? [{ ...job, after: last, told }] : [],
    };
  }
}

/** Messages that were edited or deleted. */
function changedBy(job: NotificationJob): string[] {
  if (job.job === 'edit') return [job.messageId];
  return job.job === 'erasure' ? job.messageIds : [];
}

function jobsOf<K extends NotificationJob['job']>(
  kind: K,
  jobs: NotificationJob[],
): Extract<NotificationJob, { job: K }>[] {
  return jobs.filter((job): job is Extract<NotificationJob, { job: K }> => job.job === kind);
}

/** The own rooms of all people whom a plan concerns. */
function logsOf({
  drafts,
  called,
  ofEdits,
  named,
  returning,
  stale,
  withdrawn,
  closings,
  news,
  settled,
}: Plan): Room[] {
  const people = [
    ...[...drafts, ...called, ...ofEdits, ...named, ...returning, ...stale, ...withdrawn].map(({ userId }) => userId),
    ...closings.flatMap(({ users }) => users),
    ...[...news, ...settled].flatMap((piece) => piece.people),
  ];
  return people.map(userRoom);
}

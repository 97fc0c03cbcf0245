import { NIL } from 'uuid';
import { selectIsInChannel } from '../channels/channel.membership.ts';
import type { Change } from '../delivery/changes.ts';
import { type Room, userRoom } from '../delivery/entry.ts';
import type { DirectActivity } from '../direct/direct.activity.ts';
import type { Audience } from '../servers/audience.ts';
import { closePlaceNow } from './closed-places.ts';
import type { NotificationDraft } from './draft.ts';
import {
  broadcastsOf,
  draftOf,
  draftsOfEdits,
  draftsOfMessages,
  firstWords,
  type NotedMessage,
  quoted,
  readNoted,
} from './message-notices.ts';
import {
  type BroadcastJob,
  type ClosedPlaceJob,
  type EditJob,
  insertJobs,
  type Job,
  type MessageJob,
  type NewsJob,
  portion,
  type SystemJob,
} from './notification.jobs.ts';
import { writeNotifications } from './notification.writer.ts';
import { markSettled, settledBy } from './open-questions.ts';
import { readStale, renewQuotes } from './quotes.ts';
import { draftsOfSystem } from './system-notices.ts';

/** How many users one broadcast notifies at most (contract §6). */
const broadcastLimit = 5000;

/** Who is online, for `@here`. */
export interface OnlineUsers {
  isOnline(userId: string): boolean;
}

/** Turns jobs into notifications and their events, in the change that deletes the jobs. */
export class NotificationMaker {
  private readonly direct: DirectActivity;
  private readonly online: OnlineUsers;
  private readonly audience: Audience;

  constructor(parts: { direct: DirectActivity; online: OnlineUsers; audience: Audience }) {
    this.direct = parts.direct;
    this.online = parts.online;
    this.audience = parts.audience;
  }

  /** @returns whether that left further jobs */
  async make(change: Change, jobs: Job[]): Promise<boolean> {
    const messages = await readNoted(change.rows, jobs);
    const ofMessages = jobs.filter((job): job is MessageJob => job.job === 'message');
    const drafts = await draftsOfMessages(change.rows, ofMessages, messages);
    const rest: Job[] = broadcastsOf(ofMessages, messages, drafts);
    for (const job of jobs) {
      if (job.job !== 'broadcast') continue;
      const piece = await this.broadcast(change, job, messages.get(job.messageId));
      drafts.push(...piece.drafts);
      rest.push(...piece.rest);
    }
    const news = await this.newsOf(change, jobs);
    rest.push(...news.flatMap((piece) => piece.rest));
    const settled = await settledBy(change.rows, jobs);
    rest.push(...settled.flatMap((piece) => piece.rest));
    await insertJobs(change.rows, rest);
    const edits = jobs.filter((job): job is EditJob => job.job === 'edit');
    const named = draftsOfEdits(edits, messages);
    const ofSystem = jobs.filter((job): job is SystemJob => job.job === 'system');
    drafts.push(...(await draftsOfSystem(change.rows, ofSystem)));
    const changed = jobs.flatMap(changedBy);
    const stale = await readStale(change.rows, changed);
    const closings = jobs.filter((job): job is ClosedPlaceJob => job.job === 'farewell');
    const used = [...messages.values()].filter((message) => message.channel_kind === 'dm');
    const returning = await this.direct.touch(change.rows, used);
    // Locked all at once, so that transactions do not deadlock.
    const people = [
      ...closings.flatMap(({ users }) => users),
      ...[...news, ...settled].flatMap((piece) => piece.people),
    ];
    await change.lock(...rooms([...drafts, ...named, ...returning, ...stale]), ...people.map(userRoom));
    for (const { userId, channelId, since } of returning) await this.direct.announce(change, userId, channelId, since);
    drafts.push(...(await firstWords(change.rows, named, drafts)));
    await writeNotifications(change, await quoted(change.rows, drafts));
    const isMoreStale = await renewQuotes(change, changed, stale);
    if (isMoreStale) await insertJobs(change.rows, [{ job: 'erasure', messageIds: changed }]);
    for (const piece of settled) await markSettled(change, piece);
    for (const job of closings) await closePlaceNow(change, job, job.users);
    for (const piece of news) await this.audience.tellNow(change, piece.job, piece.people);
    return rest.length > 0 || isMoreStale;
  }

  /** The people that news jobs tell now, and jobs for the rest. */
  private async newsOf(change: Change, jobs: Job[]): Promise<{ job: NewsJob; people: string[]; rest: NewsJob[] }[]> {
    const pieces: { job: NewsJob; people: string[]; rest: NewsJob[] }[] = [];
    for (const job of jobs) {
      if (job.job === 'news') pieces.push({ job, ...(await this.audience.next(change.rows, job)) });
    }
    return pieces;
  }

  /** The next portion of a broadcast, and a job for the rest. */
  private async broadcast(
    change: Change,
    job: BroadcastJob,
    message: NotedMessage | undefined,
  ): Promise<{ drafts: NotificationDraft[]; rest: BroadcastJob[] }> {
    if (!message?.server_id) return { drafts: [], rest: [] };
    const people = await change.rows<{ user_id: string }>(
      `SELECT s.user_id FROM server_members s JOIN users u ON u.id = s.user_id AND NOT u.is_bot
       JOIN channels c ON c.id = $4 LEFT JOIN channel_members m ON m.channel_id = c.id AND m.user_id = s.user_id
       WHERE s.server_id = $1 AND s.user_id > $2
         AND ${selectIsInChannel('c.is_private', 'm.excluded')}
       ORDER BY s.user_id LIMIT $3`,
      [message.server_id, job.after ?? NIL, portion, message.channel_id],
    );
    const meant = people
      .map((row) => row.user_id)
      .filter((userId) => !job.except.includes(userId) && (!job.here || this.online.isOnline(userId)))
      .slice(0, broadcastLimit - job.told);
    const last = people.at(-1)?.user_id;
    const told = job.told + meant.length;
    const isMore = last !== undefined && people.length === portion && told < broadcastLimit;
    return {
      drafts: meant.map((userId) => draftOf(message, userId, 'message.mention')),
      rest: isMore ? [{ ...job, after: last, told }] : [],
    };
  }
}

/** Messages that were edited or deleted. */
function changedBy(job: Job): string[] {
  if (job.job === 'edit') return [job.messageId];
  return job.job === 'erasure' ? job.messageIds : [];
}

function rooms(items: { userId: string }[]): Room[] {
  return items.map((item) => userRoom(item.userId));
}

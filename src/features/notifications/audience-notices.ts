import { NIL } from 'uuid';
import { isDirect } from '../../contract/channel.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { type AudienceJob, audienceKind, threadStateKind } from '../../jobs/audience.jobs.ts';
import { type InsideWork, insideWork } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { atOnce, type MessageJob, portion } from '../../jobs/notification.jobs.ts';
import type { DigestSettings } from '../../settings/mail-settings.ts';
import { followersOf } from './audience.table.ts';
import type { NotificationDraft } from './draft.ts';
import { levelTable } from './level.table.ts';
import { draftOf, notYetNotified, quoted } from './message-notices.ts';
import { type NotedMessage, readMessages } from './noted-message.table.ts';
import { writeNotifications } from './notification.writer.ts';

/** How many people one message notifies at most in this way (contract §6). */
const audienceLimit = 5000;

/** The people whom one job notifies. */
interface Piece {
  people: string[];
  drafts: NotificationDraft[];
}

/**
 * Has those notified who follow the thread of a message, or want every message of its channel or server, once those are whom it names
 * and answers. Replies to a thread are told to its followers as one (see follows).
 */
export async function addAudience(
  change: Change,
  jobs: Jobs,
  sent: MessageJob[],
  messages: Map<string, NotedMessage>,
): Promise<void> {
  const there = sent.flatMap((job) => {
    const message = messages.get(job.messageId);
    return message ? [{ message, isWatched: job.isWatched === true }] : [];
  });
  const threads = new Set(there.flatMap(({ message }) => message.thread_id ?? []));
  const states = [...threads].map((threadId) => ({ data: { threadId, after: null }, key: threadId }));
  await jobs.addAll(change, threadStateKind, states);
  const ofServers = there.filter(({ message }) => !isDirect(message.channel_kind));
  const audiences = ofServers.flatMap(({ message: { id: messageId, thread_id: threadId }, isWatched }) => {
    const of = threadId !== null ? ('followers' as const) : isWatched ? ('watchers' as const) : null;
    return of ? [{ data: { messageId, of, after: null, told: 0 } }] : [];
  });
  await jobs.addAll(change, audienceKind, audiences);
}

/** Notifies followers and watchers of messages, some a job. */
export function audienceWork(jobs: Jobs, settings: DigestSettings): InsideWork {
  return insideWork(
    audienceKind,
    async (change, asked) => {
      const { rows } = change;
      const messages = await readMessages(
        rows,
        asked.map(({ data }) => data.messageId),
      );
      const pieces: Piece[] = [];
      for (const { data } of asked) {
        const message = messages.get(data.messageId);
        if (!message) continue;
        const piece = await next(rows, data, message);
        pieces.push(piece);
        const told = data.told + piece.people.length;
        const after = piece.people.at(-1) ?? null;
        const isMore = piece.people.length === portion && told < audienceLimit;
        if (isMore) await jobs.add(change, audienceKind, { ...data, after, told });
      }
      // Locked all at once, so that transactions do not deadlock.
      await change.lock(...pieces.flatMap(({ people }) => people.map(userRoom)));
      const drafts = pieces.flatMap((piece) => piece.drafts);
      await writeNotifications(change, await quoted(rows, await notYetNotified(rows, drafts, [])), settings);
    },
    { batch: 20, reach: { most: atOnce, of: () => portion } },
  );
}

async function next(rows: Rows, { of, after }: AudienceJob, message: NotedMessage): Promise<Piece> {
  if (of === 'watchers') {
    const people = await levelTable.watchers(rows, message.channel_id, after ?? NIL, portion);
    return { people, drafts: people.map((userId) => draftOf(message, userId, 'channel.message')) };
  }
  const followers = await followersOf(rows, message.thread_id ?? NIL, after ?? NIL, portion);
  const drafts = followers.map(({ userId, byChoice }) => {
    // It answers whoever said what the thread starts from.
    const isMeant = byChoice || userId === message.parent_author_id;
    return { ...draftOf(message, userId, 'thread.reply'), onlyUnderAll: !isMeant };
  });
  return { people: followers.map(({ userId }) => userId), drafts };
}

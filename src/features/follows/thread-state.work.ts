import { NIL } from 'uuid';
import { threadState } from '../../contract/follow.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { threadStateKind } from '../../jobs/audience.jobs.ts';
import { type InsideWork, insideWork } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { atOnce, portion } from '../../jobs/notification.jobs.ts';
import { type Follower, followTable } from './follow.table.ts';
import { stateRecord } from './follow.view.ts';

/** Followers of a thread, as many as one job tells. */
interface Piece {
  threadId: string;
  followers: Follower[];
}

/** Tells the followers of threads what they have to read by now, some a job; several replies are told as one. */
export function threadStateWork(jobs: Jobs): InsideWork {
  return insideWork(
    threadStateKind,
    async (change, asked) => {
      const pieces: Piece[] = [];
      const threads = Map.groupBy(asked, ({ data }) => `${data.threadId} ${data.after}`);
      for (const [job] of threads.values()) if (job) pieces.push(await next(change.rows, job.data));
      for (const { threadId, followers } of pieces) {
        const after = followers.at(-1)?.userId ?? null;
        if (followers.length === portion) await jobs.add(change, threadStateKind, { threadId, after });
      }
      // Locked all at once, so that transactions do not deadlock.
      await change.lock(...pieces.flatMap(({ followers }) => followers.map(({ userId }) => userRoom(userId))));
      for (const piece of pieces) await tell(change, piece);
    },
    { batch: 20, reach: { most: atOnce, of: () => portion } },
  );
}

async function next(rows: Rows, { threadId, after }: { threadId: string; after: string | null }): Promise<Piece> {
  return { threadId, followers: await followTable.followers(rows, threadId, after ?? NIL, portion) };
}

async function tell(change: Change, { threadId, followers }: Piece): Promise<void> {
  if (followers.some(({ isGone }) => isGone)) return takeLeave(change, { threadId, followers });
  const people = followers.filter(({ mayRead }) => mayRead).map(({ userId }) => userId);
  if (people.length === 0) return;
  await followTable.recount(change.rows, threadId, people);
  for (const row of await followTable.inThread(change.rows, threadId, people)) {
    // Someone may have left it since.
    if (row.state === 'following') change.publish(threadState.in(userRoom(row.userId), stateRecord(row)));
  }
}

/** Nobody follows a deleted thread. */
async function takeLeave(change: Change, { threadId, followers }: Piece): Promise<void> {
  const none = { state: 'none', lastReadSeq: 0, lastSeq: 0, unreadCount: 0, lastMessageAt: null } as const;
  for (const { userId, channelId, serverId, mayRead, state } of followers) {
    if (!mayRead || state !== 'following') continue;
    change.publish(threadState.in(userRoom(userId), { threadId, channelId, serverId, ...none }));
  }
  const all = followers.map(({ userId }) => userId);
  await followTable.leave(change.rows, threadId, all);
}

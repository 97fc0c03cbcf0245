import { z } from 'zod';
import { idSchema, timeSchema } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import { clock, dateNow } from '../infrastructure/clock.ts';
import { newId } from '../infrastructure/ids.ts';
import type { JobKind } from './job.kind.ts';
import { jobTable } from './job.table.ts';
import { pushedSessions, sessionsWithPushed } from './push.table.ts';

/** A notification to be pushed to a session. */
export interface PushJob {
  sessionId: string;
  notificationId: string;
  /** When it was made, or repeated. */
  since: string;
}

export const pushKind: JobKind<PushJob> = {
  name: 'push',
  schema: z.object({ sessionId: idSchema, notificationId: idSchema, since: timeSchema }),
};

/** Takes back what was pushed to a session and is read, or gone, by now. */
export const pushClosingKind: JobKind<{ sessionId: string }> = {
  name: 'push-closing',
  schema: z.object({ sessionId: idSchema }),
};

/** Someone reads several notifications one after the other: they are taken back together. */
const gatherMs = 2000;

/** The key of the job that pushes a notification to a session. */
export const pushKey = ({ sessionId, notificationId }: PushJob): string => `${sessionId} ${notificationId}`;

/** Has notifications pushed that are made in this transaction, or repeated (contract §7, Push). */
export async function addPushes(rows: Rows, made: { id: string; userId: string }[]): Promise<void> {
  if (made.length === 0) return;
  const sessions = await pushedSessions(rows, [...new Set(made.map(({ userId }) => userId))]);
  if (sessions.length === 0) return;
  const ofUser = Map.groupBy(sessions, ({ userId }) => userId);
  const since = dateNow().toISOString();
  const jobs = made.flatMap(({ id: notificationId, userId }) =>
    (ofUser.get(userId) ?? []).map(({ sessionId }) => {
      const data = { sessionId, notificationId, since };
      return { id: newId(), data, runAt: null, key: pushKey(data) };
    }),
  );
  await jobTable.insert(rows, pushKind.name, jobs);
}

/** Has pushes taken back of users whose notifications are read in this transaction, or deleted. */
export async function closePushes(rows: Rows, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return;
  const sessions = await sessionsWithPushed(rows, userIds);
  if (sessions.length === 0) return;
  const runAt = new Date(clock.now() + gatherMs);
  const jobs = sessions.map(({ sessionId }) => ({ id: newId(), data: { sessionId }, runAt, key: sessionId }));
  await jobTable.insert(rows, pushClosingKind.name, jobs, { gathers: true });
}

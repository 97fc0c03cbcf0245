import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { type NotificationJob, portion, type SettledJob } from '../../jobs/notification.jobs.ts';
import { publishRead } from '../../jobs/reading.ts';
import { peopleOfSettled, readSettled } from './notice.table.ts';

/** People with unread notifications in a server where something was settled, as many as one change publishes to. */
export interface Settled {
  serverId: string;
  people: string[];
  rest: SettledJob[];
}

/** The people for whom something was settled, by the servers that jobs name. */
export async function settledBy(rows: Rows, jobs: NotificationJob[]): Promise<Settled[]> {
  const servers = new Set(jobs.flatMap((job) => (job.job === 'settled' ? [job.serverId] : [])));
  const found: Settled[] = [];
  for (const serverId of servers) {
    const people = await peopleOfSettled(rows, serverId, portion);
    found.push({ serverId, people, rest: people.length === portion ? [{ job: 'settled', serverId }] : [] });
  }
  return found;
}

/** Settled notifications count as read for people whose logs are locked: nobody could answer them. */
export async function markSettled(change: Change, { serverId, people }: Settled): Promise<void> {
  if (people.length === 0) return;
  await publishRead(change, await readSettled(change.rows, serverId, people));
}

import { rolesThatMay } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { type NotificationJob, portion, type SettledJob } from '../../jobs/notification.jobs.ts';
import { publishRead } from '../../jobs/reading.ts';

const isQuestion = "n.read_at IS NULL AND n.kind IN ('server.invite', 'server.join_request', 'channel.join_request')";

/**
 * Whether notification `n` no longer needs an answer. An invitation: its recipient is a member, the server is gone, or its
 * code is invalid. A request, or several merged ones: none is pending, or the recipient no longer decides.
 */
const isSettled = `CASE WHEN n.kind = 'server.invite' THEN
    NOT EXISTS (SELECT FROM servers s WHERE s.id = n.server_id AND s.invite_code = n.body)
    OR EXISTS (SELECT FROM server_members m WHERE m.server_id = n.server_id AND m.user_id = n.user_id)
  ELSE
    NOT EXISTS (SELECT FROM join_requests j
      WHERE j.server_id = n.server_id AND j.channel_id IS NOT DISTINCT FROM n.channel_id AND j.status = 'pending'
        AND (n.aggregated_count > 1 OR j.id = n.reference_id))
    OR NOT EXISTS (SELECT FROM server_members m WHERE m.server_id = n.server_id AND m.user_id = n.user_id
      AND m.role IN (${rolesThatMay('join-request:decide')}))
  END`;

const selectPeople = `SELECT DISTINCT n.user_id AS id FROM notifications n
  WHERE n.server_id = $1 AND ${isQuestion} AND ${isSettled} ORDER BY n.user_id LIMIT $2`;
const markRead = `UPDATE notifications n SET read_at = now()
  WHERE n.server_id = $1 AND n.user_id = ANY($2::uuid[]) AND ${isQuestion} AND ${isSettled}
  RETURNING n.id, n.user_id AS "userId"`;

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
    const people = (await rows<{ id: string }>(selectPeople, [serverId, portion])).map(({ id }) => id);
    found.push({ serverId, people, rest: people.length === portion ? [{ job: 'settled', serverId }] : [] });
  }
  return found;
}

/** Settled notifications count as read for people whose logs are locked: nobody could answer them. */
export async function markSettled(change: Change, { serverId, people }: Settled): Promise<void> {
  if (people.length === 0) return;
  await publishRead(change, await change.rows<{ id: string; userId: string }>(markRead, [serverId, people]));
}

/**
 * The requests that are still pending, locked as undecided until the commit: a decision commits before, or finds the
 * notification and marks it.
 */
export async function stillPending(rows: Rows, requests: string[]): Promise<Set<string>> {
  if (requests.length === 0) return new Set();
  const found = await rows<{ id: string }>(
    `SELECT id FROM join_requests WHERE id = ANY($1::uuid[]) AND status = 'pending' ORDER BY id FOR SHARE`,
    [requests],
  );
  return new Set(found.map(({ id }) => id));
}

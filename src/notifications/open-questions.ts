import { rolesThatMay } from '../access/roles.ts';
import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { type Job, portion, type SettledJob } from './notification.jobs.ts';
import { tellRead } from './reading.ts';

const isQuestion = "n.read_at IS NULL AND n.kind IN ('server.invite', 'server.join_request', 'channel.join_request')";

/**
 * Whether nobody has to answer the notification `n` any more. An invitation: who got it is in, the server is gone, or its code
 * opens nothing. A request, or several that became one notification: none of them waits, or who got it decides no longer.
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

/** People who have something unread in a server that is settled, as many as are told at once. */
export interface Settled {
  serverId: string;
  people: string[];
  rest: SettledJob[];
}

/** Those for whom something is settled, by the servers that jobs name. */
export async function settledBy(rows: Rows, jobs: Job[]): Promise<Settled[]> {
  const servers = new Set(jobs.flatMap((job) => (job.job === 'settled' ? [job.serverId] : [])));
  const found: Settled[] = [];
  for (const serverId of servers) {
    const people = (await rows<{ id: string }>(selectPeople, [serverId, portion])).map(({ id }) => id);
    found.push({ serverId, people, rest: people.length === portion ? [{ job: 'settled', serverId }] : [] });
  }
  return found;
}

/** What is settled counts as read for people whose logs are locked: nobody could answer it. */
export async function markSettled(change: Change, { serverId, people }: Settled): Promise<void> {
  if (people.length === 0) return;
  await tellRead(change, await change.rows<{ id: string; userId: string }>(markRead, [serverId, people]));
}

/**
 * Those of requests that still wait, held back from being decided until the commit: whoever decides comes before, or finds
 * the notification and takes it away.
 */
export async function stillPending(rows: Rows, requests: string[]): Promise<Set<string>> {
  if (requests.length === 0) return new Set();
  const found = await rows<{ id: string }>(
    `SELECT id FROM join_requests WHERE id = ANY($1::uuid[]) AND status = 'pending' ORDER BY id FOR SHARE`,
    [requests],
  );
  return new Set(found.map(({ id }) => id));
}

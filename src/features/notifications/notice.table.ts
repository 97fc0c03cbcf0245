import { selectMayKnow } from '../../access/channel.table.ts';
import { selectMay } from '../../access/rights.table.ts';
import type { Rows } from '../../database/database.ts';
import type { SystemJob } from '../../jobs/notification.jobs.ts';

export interface Names {
  of(id: string | null): string;
}

const isQuestion = "n.read_at IS NULL AND n.kind IN ('server.invite', 'server.join_request', 'channel.join_request')";

/**
 * Whether notification `n` no longer needs an answer. An invitation: its recipient is a member, the server is gone, or its
 * code is invalid. A request, or several merged ones: none is pending, or the recipient no longer decides, or knows of the
 * channel.
 */
const isSettled = `CASE WHEN n.kind = 'server.invite' THEN
    NOT EXISTS (SELECT FROM servers s WHERE s.id = n.server_id AND s.invite_code = n.body)
    OR EXISTS (SELECT FROM server_members m WHERE m.server_id = n.server_id AND m.user_id = n.user_id)
  ELSE
    NOT EXISTS (SELECT FROM join_requests j
      WHERE j.server_id = n.server_id AND j.channel_id IS NOT DISTINCT FROM n.channel_id AND j.status = 'pending'
        AND (n.aggregated_count > 1 OR j.id = n.reference_id))
    OR NOT EXISTS (SELECT FROM server_members m WHERE m.server_id = n.server_id AND m.user_id = n.user_id
      AND ${selectMay('m', 'join-request:decide')}
      AND (n.channel_id IS NULL OR EXISTS (SELECT FROM channels c WHERE c.id = n.channel_id AND ${selectMayKnow})))
  END`;

const selectPeople = `SELECT DISTINCT n.user_id AS id FROM notifications n
  WHERE n.server_id = $1 AND ${isQuestion} AND ${isSettled} ORDER BY n.user_id LIMIT $2`;
const markRead = `UPDATE notifications n SET read_at = now()
  WHERE n.server_id = $1 AND n.user_id = ANY($2::uuid[]) AND ${isQuestion} AND ${isSettled}
  RETURNING n.id, n.user_id AS "userId"`;

/** The people with notifications in a server that no longer need an answer, by id. */
export async function peopleOfSettled(rows: Rows, serverId: string, most: number): Promise<string[]> {
  return (await rows<{ id: string }>(selectPeople, [serverId, most])).map(({ id }) => id);
}

/** Those count as read for these people from now on. */
export function readSettled(rows: Rows, serverId: string, people: string[]): Promise<{ id: string; userId: string }[]> {
  return rows(markRead, [serverId, people]);
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

/** The names of people, servers and channels. */
export async function readNames(rows: Rows, jobs: SystemJob[]): Promise<Names> {
  const ids = jobs.flatMap(({ senderId, serverId, channelId }) => [senderId, serverId, channelId]);
  const found = await rows<{ id: string; name: string }>(
    `SELECT id, display_name AS name FROM users WHERE id = ANY($1::uuid[])
     UNION ALL SELECT id, name FROM servers WHERE id = ANY($1::uuid[])
     UNION ALL SELECT id, name FROM channels WHERE id = ANY($1::uuid[])`,
    [ids.filter((id) => id !== null)],
  );
  const names = new Map(found.map((row) => [row.id, row.name]));
  return { of: (id) => (id && names.get(id)) || 'someone' };
}

/** The code that invited users get in with, even if they were offline; it stays unchanged until the commit. */
export async function readInviteCodes(rows: Rows, jobs: SystemJob[]): Promise<Map<string, string>> {
  const ids = jobs.filter(({ kind }) => kind === 'server.invite').map(({ serverId }) => serverId);
  if (ids.length === 0) return new Map();
  const found = await rows<{ id: string; code: string }>(
    'SELECT id, invite_code AS code FROM servers WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE',
    [ids],
  );
  return new Map(found.map(({ id, code }) => [id, code]));
}

/** Why people were banned or timed out, by kind, server and user, as of now. */
export async function readReasons(rows: Rows, jobs: SystemJob[]): Promise<Map<string, string>> {
  const idsOf = (sought: string) => jobs.filter(({ kind }) => kind === sought).map(({ serverId }) => serverId);
  const ids = [idsOf('server.banned'), idsOf('server.timed_out')];
  if (ids.flat().length === 0) return new Map();
  const found = await rows<{ key: string; reason: string }>(
    `SELECT 'server.banned ' || server_id || ' ' || user_id AS key, reason FROM server_bans
     WHERE server_id = ANY($1::uuid[]) AND reason IS NOT NULL
     UNION ALL SELECT 'server.timed_out ' || server_id || ' ' || user_id, reason FROM server_timeouts
     WHERE server_id = ANY($2::uuid[]) AND reason IS NOT NULL`,
    ids,
  );
  return new Map(found.map(({ key, reason }) => [key, reason]));
}

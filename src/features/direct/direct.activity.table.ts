import { selectDirects } from '../../access/direct.table.ts';
import type { Rows } from '../../database/database.ts';
import { newId } from '../../infrastructure/ids.ts';
import { insertNotificationsOf } from '../../jobs/job.table.ts';
import type { DirectJob } from '../../jobs/notification.jobs.ts';
import type { DmUse, Returning } from './direct.activity.ts';

/** Someone in a DM or group that was used, and when it was before. */
export interface Touched {
  channel_id: string;
  user_id: string;
  before: Date | string;
}

/** Someone in a DM or group, and when it was last used before. */
export interface Side extends Returning {
  before: Date | string;
}

/** Whether a person has used as many other DMs since some time as are followed; the walks along indexes are bounded. */
const isBeyond = (
  user: string,
  channel: string,
  since: string,
  followed: string,
) => `${followed} <= (SELECT count(*) FROM (${selectDirects(user, `AND last_active_at > ${since} LIMIT ${followed} + 1`)}
  ) AS newer WHERE channel_id <> ${channel})`;
/** SQL of the people of a DM or group, and when it was last used. @param channel SQL of its id */
const selectSides = (channel: string) => `(
    SELECT low_id AS id, last_active_at AS before FROM dm_channels WHERE channel_id = ${channel}
    UNION ALL SELECT high_id, last_active_at FROM dm_channels WHERE channel_id = ${channel}
    UNION ALL SELECT user_id, last_active_at FROM group_members WHERE channel_id = ${channel}
  ) AS side`;
const noteUnfollowed = `${insertNotificationsOf(`SELECT noted.job, json_build_object('job', 'dm', 'channelId', noted.id, 'since', noted.since)
  FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS noted (job, id, since)
  WHERE EXISTS (SELECT FROM ${selectSides('noted.id')} WHERE ${isBeyond('side.id', 'noted.id', 'side.before', '$4::int')})`)}
  RETURNING id`;

const used = `used AS (SELECT id, max(at) AS at FROM unnest($1::uuid[], $2::timestamptz[]) AS use (id, at) GROUP BY id)`;
/** Locked in a fixed order first, so that nodes that touch the same DMs do not deadlock. */
const usePairs = `WITH ${used}, locked AS (
    SELECT channel_id, last_active_at FROM dm_channels
    WHERE channel_id IN (SELECT id FROM used) ORDER BY channel_id FOR UPDATE
  ), touched AS (
    UPDATE dm_channels d SET last_active_at = greatest(d.last_active_at, used.at) FROM used, locked
    WHERE d.channel_id = used.id AND locked.channel_id = used.id
    RETURNING d.channel_id, d.low_id, d.high_id, locked.last_active_at AS before
  )
  SELECT channel_id, side.id AS user_id, before FROM touched CROSS JOIN LATERAL (VALUES (low_id), (high_id)) AS side (id)`;
const useGroups = `WITH ${used}, locked AS (
    SELECT channel_id, user_id, last_active_at FROM group_members
    WHERE channel_id IN (SELECT id FROM used) ORDER BY channel_id, user_id FOR UPDATE
  )
  UPDATE group_members g SET last_active_at = greatest(g.last_active_at, used.at) FROM used, locked
  WHERE g.channel_id = used.id AND locked.channel_id = g.channel_id AND locked.user_id = g.user_id
  RETURNING g.channel_id, g.user_id, locked.last_active_at AS before`;
const sides = `SELECT side.id AS "userId", noted.id AS "channelId", noted.since, side.before
  FROM (SELECT id, min(seq) AS since FROM unnest($1::uuid[], $2::bigint[]) AS job (id, seq) GROUP BY id) AS noted
  CROSS JOIN LATERAL ${selectSides('noted.id')}`;
const beyond = `SELECT s.place::int FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) WITH ORDINALITY
    AS s (user_id, channel_id, before, place)
  WHERE ${isBeyond('s.user_id', 's.channel_id', 's.before', '$4::int')}`;

/** Queues the return to DMs that somebody's sockets do not follow. @returns whether there are any */
export async function queueReturns(
  rows: Rows,
  noted: { id: string; since: number }[],
  followed: number,
): Promise<boolean> {
  const values = [noted.map(() => newId()), noted.map(({ id }) => id), noted.map(({ since }) => since)];
  return (await rows(noteUnfollowed, [...values, followed])).length > 0;
}

/** Records when DMs and groups were last used. @returns everyone in them */
export async function touchDms(rows: Rows, uses: DmUse[]): Promise<Touched[]> {
  const values = [uses.map(({ channel_id }) => channel_id), uses.map(({ created_at }) => created_at)];
  return [...(await rows<Touched>(usePairs, values)), ...(await rows<Touched>(useGroups, values))];
}

/** Everyone in each DM or group that a job names. */
export function readSides(rows: Rows, jobs: DirectJob[]): Promise<Side[]> {
  return rows<Side>(sides, [jobs.map(({ channelId }) => channelId), jobs.map(({ since }) => since)]);
}

/** Those whose DM was not among the user's last used ones before. Walks along indexes are bounded. */
export async function beyondFollowed(rows: Rows, all: Side[], followed: number): Promise<Side[]> {
  const found = await rows<{ place: number }>(beyond, [
    all.map(({ userId }) => userId),
    all.map(({ channelId }) => channelId),
    all.map(({ before }) => before),
    followed,
  ]);
  const places = new Set(found.map(({ place }) => place - 1));
  return all.filter((_, index) => places.has(index));
}

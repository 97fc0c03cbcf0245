import { channelCreated, channelMemberRemoved } from '../../contract/channel.ts';
import { rolesThatMay } from '../../contract/roles.ts';
import { type Room, userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atOnce } from '../../jobs/notification.jobs.ts';
import { type ChannelRecord, channelChange } from '../members/channel.view.ts';

/** Someone who may know of a channel without being in it, and so gets no events in its room. */
interface Outsider {
  userId: string;
  channelId: string;
}

/** For private channels the admins, for open ones the excluded users. $1 channels of one server */
const selectOutsiders = `WITH place AS MATERIALIZED (
    SELECT id, server_id, is_private FROM channels WHERE id = ANY($1::uuid[])
  ), admins AS MATERIALIZED (
    SELECT m.user_id FROM server_members m JOIN users u ON u.id = m.user_id AND NOT u.is_bot
    WHERE m.server_id = (SELECT server_id FROM place LIMIT 1) AND m.role IN (${rolesThatMay('channel:see-private')})
  )
  SELECT admins.user_id AS "userId", place.id AS "channelId" FROM place CROSS JOIN admins
  LEFT JOIN channel_members e ON e.channel_id = place.id AND e.user_id = admins.user_id
  WHERE place.is_private AND e.excluded IS NOT FALSE
  UNION ALL SELECT e.user_id, place.id FROM place JOIN channel_members e ON e.channel_id = place.id AND e.excluded
  WHERE NOT place.is_private
  ORDER BY 1, 2 LIMIT $2`;

/** Those who may know of channels of a server that they are not in, as many as one change publishes to. */
export function outsiders(rows: Rows, channelIds: string[]): Promise<Outsider[]> {
  return rows<Outsider>(selectOutsiders, [channelIds, atOnce]);
}

/** Publishes the state of a server's channels to them in their own rooms. @returns these rooms */
export async function publishToOutsiders(change: Change, channels: ChannelRecord[]): Promise<Room[]> {
  const records = new Map(channels.map((channel) => [channel.id, channel]));
  const people = await outsiders(change.rows, [...records.keys()]);
  for (const { userId, channelId } of people) {
    const channel = records.get(channelId);
    // Archived channels are in no list.
    if (channel?.isArchived) publishGone(change, [{ userId, channelId }], channel.serverId);
    else if (channel) change.publish(channelCreated.in(userRoom(userId), channelChange(channel)));
  }
  return people.map(({ userId }) => userRoom(userId));
}

/** Publishes to them that a channel is in no list any more. */
export function publishGone(change: Change, people: Outsider[], serverId: string | null): void {
  for (const { userId, channelId } of people) {
    change.publish(channelMemberRemoved.in(userRoom(userId), { channelId, serverId, gone: true }));
  }
}

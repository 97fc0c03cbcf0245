import { channelCreated, channelMemberRemoved } from '../../contract/channel.ts';
import { type Room, userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atOnce } from '../../jobs/notification.jobs.ts';
import { type ChannelRecord, channelChange } from '../members/channel.view.ts';
import { type Outsider, readOutsiders } from './channel.outsiders.table.ts';

/** Those who may know of channels of a server that they are not in, as many as one change publishes to. */
export function outsiders(rows: Rows, channelIds: string[]): Promise<Outsider[]> {
  return readOutsiders(rows, channelIds, atOnce);
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

import { LRUCache } from 'lru-cache';
import type { ChannelAccess } from '../channels/channel.access.ts';
import { channelDeleted, channelMemberRemoved } from '../channels/channel.contract.ts';
import type { ControlMessage } from '../delivery/bus.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { channelRoom, type LogEntry, type Room, streamId, userRoom } from '../delivery/entry.ts';
import { atMost } from '../infrastructure/cache.ts';
import type { ServerAccess } from '../servers/server.access.ts';
import { serverDeleted, serverLeft } from '../servers/server.contract.ts';

/** How many evictions are remembered: a control message is late by seconds at most. */
const maxFollowed = 10_000;

/** Who is in which room of this node. */
interface Rooms {
  evict(userId: string, serverId: string | null, rooms: Room[] | null): void;
  reconsider(userId: string, serverId: string | null, rooms: Room[] | null): Promise<void>;
  dissolve(rooms: Room[]): Promise<void>;
}

/**
 * Acts on events that say that someone lost access, or that a channel or server was deleted. Control messages say the same
 * sooner (see Control); if one was lost, the event of the same change still arrives, through the sweep.
 *
 * @param endPolls answers the long polls of a user, so that access is checked again
 * @returns the handler of the control message. If its event was handled here before, it does nothing: its user may have been
 * readmitted since, and would be evicted silently. If the user's own log is past the event on this node, the access rules
 * decide: what was cached when the user came in may have been older than the event.
 */
export function followLostAccess(
  delivery: Delivery,
  rooms: Rooms,
  endPolls: (room: Room) => void,
  servers: ServerAccess,
  channels: ChannelAccess,
): (order: Extract<ControlMessage, { kind: 'evict' }>) => void | Promise<void> {
  const followed = new LRUCache<string, true>(atMost(maxFollowed));
  const evict = (entry: LogEntry, serverId: string | null, places: Room[] | null) => {
    followed.set(`${streamId(entry.room)} ${entry.seq}`, true);
    rooms.evict(streamId(entry.room), serverId, places);
    endPolls(entry.room);
  };
  const followers: Record<string, (entry: LogEntry, data: unknown) => void> = {
    [serverLeft.name](entry, data) {
      const { serverId } = serverLeft.payload.parse(data);
      servers.forgetHere(serverId, streamId(entry.room));
      evict(entry, serverId, null);
    },
    [serverDeleted.name](entry, data) {
      const { serverId } = serverDeleted.payload.parse(data);
      servers.forgetHere(serverId, streamId(entry.room));
      evict(entry, serverId, null);
    },
    [channelMemberRemoved.name](entry, data) {
      const { channelId, serverId } = channelMemberRemoved.payload.parse(data);
      channels.forgetMemberHere(channelId, streamId(entry.room));
      evict(entry, serverId, [channelRoom(channelId)]);
    },
    [channelDeleted.name](entry) {
      channels.forgetHere(streamId(entry.room));
      // The event has to reach its sockets before they leave.
      setImmediate(() => void rooms.dissolve([entry.room]));
    },
  };
  delivery.observe((entry) => followers[entry.event]?.(entry, JSON.parse(entry.json)));
  return ({ userId, serverId, rooms: places, seq }) => {
    if (followed.has(`${userId} ${seq}`)) return;
    endPolls(userRoom(userId));
    const position = delivery.peek(userRoom(userId))?.position ?? 0;
    if (position >= seq) return rooms.reconsider(userId, serverId, places);
    rooms.evict(userId, serverId, places);
  };
}

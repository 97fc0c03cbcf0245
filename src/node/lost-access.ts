import type { ChannelAccess } from '../access/channel.access.ts';
import type { ServerAccess } from '../access/server.access.ts';
import type { ControlMessage } from '../cluster/bus.ts';
import type { LogEntry } from '../cluster/entry.ts';
import { channelDeleted, channelMemberRemoved } from '../contract/channel.ts';
import { channelRoom, type Room, streamId, userRoom } from '../contract/rooms.ts';
import { serverDeleted, serverLeft } from '../contract/server.ts';
import type { Delivery } from '../delivery/delivery.ts';

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
 * @returns the handler of the control message. If the user's own log is past the event on this node, the access rules decide:
 * the user may have been readmitted since, and would be evicted silently, or may have come in by what was cached before it.
 */
export function followLostAccess(
  delivery: Delivery,
  rooms: Rooms,
  endPolls: (room: Room) => void,
  servers: ServerAccess,
  channels: ChannelAccess,
): (order: Extract<ControlMessage, { kind: 'evict' }>) => void | Promise<void> {
  const evict = (entry: LogEntry, serverId: string | null, places: Room[] | null) => {
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
    endPolls(userRoom(userId));
    const position = delivery.peek(userRoom(userId))?.position ?? 0;
    if (position >= seq) return rooms.reconsider(userId, serverId, places);
    rooms.evict(userId, serverId, places);
  };
}

import { z } from 'zod';
import type { ChannelAccess } from '../access/channel.access.ts';
import { membershipCache, type ServerAccess } from '../access/server.access.ts';
import type { ControlMessage } from '../cluster/bus.ts';
import type { Control } from '../cluster/control.ts';
import type { LogEntry } from '../cluster/entry.ts';
import { InvalidationWatch } from '../cluster/invalidation-watch.ts';
import { channelDeleted, channelMemberRemoved } from '../contract/channel.ts';
import { messageDeleted, messageUpdated } from '../contract/message.ts';
import { notificationDeleted, notificationUpdated } from '../contract/notification.ts';
import { messagesExpired } from '../contract/retention.ts';
import { appsRoom, channelRoom, type Room, streamId, userRoom } from '../contract/rooms.ts';
import { idSchema } from '../contract/schema.ts';
import { serverDeleted, serverLeft } from '../contract/server.ts';
import { threadDeleted, threadUpdated } from '../contract/thread.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { isSessionCache, sessionRevokedEvent } from '../features/accounts/sessions/revocation.ts';
import { suspensionSignal } from '../features/accounts/suspensions.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Shutdown } from '../infrastructure/shutdown.ts';
import type { Modules } from './modules.ts';

const identified = z.object({ id: idSchema });

/** Evicts log entries from this node's memory when an event reports their change or deletion, so none is replayed. */
function followErasures(delivery: Delivery): void {
  const forget = (entry: LogEntry, text: string) => delivery.peek(entry.room)?.forget(text, entry.seq);
  const forgetOne = (entry: LogEntry, data: unknown) => forget(entry, identified.parse(data).id);
  const followers: Record<string, (entry: LogEntry, data: unknown) => void> = {
    [messageDeleted.name]: forgetOne,
    [messageUpdated.name]: forgetOne,
    [threadUpdated.name]: forgetOne,
    // Earlier events of the notification may quote a message that was changed or erased (see quotes.ts).
    [notificationUpdated.name]: forgetOne,
    // Their messages are quoted in other entries too, so nothing of the room stays in memory.
    [notificationDeleted.name]: (entry) => forget(entry, ''),
    [threadDeleted.name]: (entry) => forget(entry, ''),
    [messagesExpired.name]: (entry) => forget(entry, ''),
  };
  delivery.observe((entry) => followers[entry.event]?.(entry, JSON.parse(entry.json)));
}

/**
 * Connects the sockets of a node with their outside triggers: events in the logs, control messages of other nodes,
 * changes found in the database, and time.
 */
export function connectSockets({ list, services }: Modules, gateway: Gateway, shutdown: Shutdown): void {
  const { log, delivery, control, serverAccess, channelAccess, events } = services;
  services.ephemeral.connect((rooms, event, data, except) => gateway.emit(rooms, event, data, except));
  const disconnect: Gateway['disconnect'] = (room, event) => {
    gateway.disconnect(room, event);
    events.end(room);
  };
  connectControl(control, gateway, disconnect);
  const endPolls = (room: Room) => events.end(room);
  control.handle({
    evict: followLostAccess(delivery, gateway.subscriptions, endPolls, serverAccess, channelAccess),
    async recheck({ serverId, channelIds, userIds }) {
      const rooms = channelIds.map(channelRoom);
      // Polls check access before they answer; those of the people concerned need not wait to learn it.
      for (const id of userIds ?? []) endPolls(userRoom(id));
      const people = userIds ?? gateway.subscriptions.usersIn(rooms);
      await Promise.all(people.map((id) => gateway.subscriptions.reconsider(id, serverId, rooms)));
    },
  });
  followErasures(delivery);
  const invalidations = new InvalidationWatch(services.database, services.caches, log, (cache, keys) => {
    if (isSessionCache(cache)) for (const id of keys) disconnect(`session:${id}`, sessionRevokedEvent(id));
    if (cache === suspensionSignal) for (const id of keys) shutOut(id, disconnect, services, log);
    if (cache === membershipCache) for (const key of keys) reconsider(key, gateway, log);
  });
  shutdown.add('invalidations', () => invalidations.close());
  delivery.staleness.watchSessions(invalidations);
  for (const module of Object.values(list)) module.connect?.({ gateway, disconnect });
}

/** What someone may view in a server may depend on their roles and second factor, whatever changed these. */
function reconsider(key: string, { subscriptions }: Gateway, log: Log): void {
  const [serverId = '', userId = ''] = key.split(':');
  subscriptions
    .reconsider(userId, serverId, null)
    .catch((error) => log.debug({ err: error }, 'Access to the channels of a server was not checked again.'));
}

/** Closes the sockets of a suspended user, who is offline from then on. */
function shutOut(userId: string, disconnect: Gateway['disconnect'], { presence }: Modules['services'], log: Log): void {
  disconnectUser(userId, disconnect, null);
  presence.goodbye(userId).catch((error) => log.debug({ err: error }, 'A suspended user was not taken offline.'));
}

/** Closes the sockets of a user, and those of others by apps that the user answers for. */
function disconnectUser(
  userId: string,
  disconnect: Gateway['disconnect'],
  event: Parameters<typeof disconnect>[1],
): void {
  for (const room of [userRoom(userId), appsRoom(userId)] as const) disconnect(room, event);
}

/** Control messages from this and other nodes. */
function connectControl(control: Control, gateway: Gateway, disconnect: Gateway['disconnect']): void {
  control.handle({
    disconnect: ({ sessionId, userId, event }) => {
      if (sessionId) disconnect(`session:${sessionId}`, event);
      if (userId) disconnectUser(userId, disconnect, event);
    },
    dissolve: ({ rooms }) => gateway.subscriptions.dissolve(rooms),
    'hand-over': ({ pid }) => gateway.handOver(pid),
  });
}

/** The members of this node's rooms. */
interface Rooms {
  evict(userId: string, serverId: string | null, rooms: Room[] | null): void;
  reconsider(userId: string, serverId: string | null, rooms: Room[] | null): Promise<void>;
  dissolve(rooms: Room[]): Promise<void>;
}

/**
 * Acts on events about lost access, or about a deleted channel or server. Control messages report the same sooner (see
 * Control); if one was lost, the event of the same change still arrives, through the sweep.
 *
 * @param endPolls answers the long polls of a user, so that access is checked again
 * @returns the handler of the control message. If the user's own log is past the event on this node, the access rules
 * decide: the user may have been readmitted since, and would be evicted silently, or may have joined by a stale cache.
 */
function followLostAccess(
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
      // A group that becomes a channel of a server.
      if (serverId === null) channels.forgetHere(channelId);
      evict(entry, serverId, [channelRoom(channelId)]);
    },
    [channelDeleted.name](entry) {
      channels.forgetHere(streamId(entry.room));
      // The event must reach its sockets before they leave.
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

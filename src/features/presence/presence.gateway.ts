import { presenceCustomStatus } from '../../contract/custom-status.ts';
import { memberJoined, memberLeft } from '../../contract/member.ts';
import { presenceActivity, presenceChange, presenceClientEvents, type StatusChange } from '../../contract/presence.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { memberTimedOut } from '../../contract/timeout.ts';
import type { Delivery } from '../../delivery/delivery.ts';
import { startOver } from '../../gateway/feed.ts';
import { emitTo } from '../../gateway/frames.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import { leaveWatches, type ParleySocket } from '../../gateway/socket.ts';
import { isLive, liveOf } from '../../gateway/subscription.ts';
import { dataOf } from './broadcaster.ts';
import type { CustomStatuses } from './custom-status.service.ts';
import type { PresenceService } from './presence.service.ts';
import type { Presence } from './presence.ts';
import type { Snapshots } from './snapshot.gateway.ts';

/** How many people a socket may follow besides those listed to it; the oldest are dropped first. */
const maxWatched = 1000;
/** How many changes one event has, for who comes back. */
const maxTogether = 500;

/** Logs may contain events of other versions; these fields are always there. */
const joined = memberJoined.payload.pick({ userId: true });
const left = memberLeft.payload.pick({ userId: true, serverId: true, scope: true });
const timedOut = memberTimedOut.payload.pick({ userId: true, serverId: true });

interface Parts {
  presence: Presence;
  service: PresenceService;
  snapshots: Snapshots;
}

/** Feeds presence with what a node knows: who is connected to it, and who has joined people that did not know them. */
export function connectPresence(gateway: Gateway, delivery: Delivery, parts: Parts): void {
  const { presence, service, snapshots } = parts;
  gateway.onConnection(async (socket) => {
    const went = presence.came(socket.data.actor.userId);
    socket.once('disconnect', () => {
      went();
      void service.endActivities(socket.id).catch(() => {});
    });
    await comeBack(parts, socket);
  });
  gateway.subscriptions.onEntry((socket, { serverId }) => {
    if (serverId !== null) void snapshots.settle(socket, serverId).catch(() => {});
  });
  gateway.subscriptions.onLoss = (socket, isLost) => {
    snapshots.forgetLost(socket);
    void service.endActivities(socket.id, isLost).catch(() => {});
  };
  delivery.observe((entry) => {
    if (entry.event === memberJoined.name) presence.joined(joined.parse(JSON.parse(entry.json)).userId);
    if (entry.event === memberTimedOut.name) {
      const { userId, serverId } = timedOut.parse(JSON.parse(entry.json));
      void service.silence(serverId, userId).catch(() => {});
    }
    if (entry.event !== memberLeft.name) return;
    const { userId, serverId, scope } = left.parse(JSON.parse(entry.json));
    if (scope === 'server' && serverId !== null) presence.left(serverId, userId);
  });
}

/** A socket is back in rooms that it did not join on this connection. */
async function comeBack(parts: Parts, socket: ParleySocket): Promise<void> {
  const { service, snapshots } = parts;
  const { watched, crowds } = socket.data;
  if (!socket.recovered) {
    // Where that cannot be read it is told of everyone, as in a small server.
    await snapshots.resume(socket, undefined).catch(() => {});
    return;
  }
  if (!(await snapshots.resume(socket, crowds && new Set(crowds)))) {
    startOver(socket);
    return;
  }
  if (watched.length > 0) await follow(service, socket, watched, null);
  Object.assign(socket.data, { watched: [], crowds: [] });
  void sendMissed(parts, socket);
}

/** A recovered client assumes that it missed nothing, and does not join its channels again. */
async function sendMissed({ presence, service }: Parts, socket: ParleySocket): Promise<void> {
  const changes = await presence.missed(socket.data.actor.userId, socket.rooms).catch(() => []);
  for (let at = 0; at < changes.length; at += maxTogether) {
    emitTo(socket, presenceChange.name, JSON.stringify(dataOf(changes.slice(at, at + maxTogether))));
  }
  const statuses = await presence.missedStatuses(socket.data.actor.userId, socket.rooms).catch(() => []);
  for (const [userId, customStatus] of statuses) {
    emitTo(socket, presenceCustomStatus.name, JSON.stringify({ userId, customStatus }));
  }
  const rooms = liveOf(socket).map(({ room }) => room);
  for (const { channelId, userId, activity } of await service.activitiesIn(new Set(rooms))) {
    // It may have lost the channel, or left it, meanwhile.
    if (!isLive(socket, channelRoom(channelId)) || userId === socket.data.actor.userId) continue;
    emitTo(socket, presenceActivity.name, JSON.stringify({ channelId, userId, activity }));
  }
}

export function presenceHandlers(
  presence: PresenceService,
  snapshots: Snapshots,
  customStatuses: CustomStatuses,
): Handler[] {
  return handlers(presenceClientEvents, {
    async 'presence:update'({ actor, payload }) {
      await presence.update(actor, payload.status);
      return { status: payload.status };
    },
    async 'presence:subscribe'({ payload, socket }) {
      const users = await follow(presence, socket, payload.userIds, await snapshots.listedRooms(socket));
      return { users, customStatuses: await customStatuses.listed(users.map(({ userId }) => userId)) };
    },
    async 'presence:activity'({ actor, payload, socket }) {
      const { channelId, activity } = payload;
      await presence.activity(actor, channelId, activity, socket.id);
      // It disconnected meanwhile, and its `disconnect` event is past.
      if (!socket.connected) await presence.endActivities(socket.id);
      return {};
    },
  });
}

/**
 * Makes a socket follow the presence of these users, as far as it may.
 * @param listed rooms that it keeps, however many others it follows; null: it is back, and followed these users before
 * @returns their current statuses
 */
async function follow(
  presence: PresenceService,
  socket: ParleySocket,
  userIds: string[],
  listed: ReadonlySet<string> | null,
): Promise<StatusChange[]> {
  const { actor } = socket.data;
  const { known, rooms } = await presence.subscribe(actor, userIds, listed === null);
  watch(socket, [...rooms.values()].flat(), listed ?? new Set());
  // In the turn in which it begins to follow them: what changes from here on reaches it.
  const users = known.map((userId) => ({ userId, status: presence.statusOf(userId) }));
  // If the user left a server meanwhile, these rooms were not left with it.
  const stay = async (serverId: string) => {
    if (!(await presence.isIn(actor, serverId))) leaveWatches(socket, serverId);
  };
  await Promise.all([...rooms.keys()].map(stay));
  return users;
}

function watch(socket: ParleySocket, rooms: string[], listed: ReadonlySet<string>): void {
  // A socket that has disconnected meanwhile would stay in the rooms for ever.
  if (!socket.connected) return;
  const wanted = new Set(rooms.slice(0, maxWatched));
  const isOther = (room: string) => room.startsWith('watch:') && !wanted.has(room) && !listed.has(room);
  const others = [...socket.rooms].filter(isOther);
  const excess = Math.max(0, others.length + wanted.size - maxWatched);
  for (const room of others.slice(0, excess)) void socket.leave(room);
  void socket.join([...wanted]);
}

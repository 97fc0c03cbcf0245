import {
  presenceActivity,
  presenceChange,
  presenceClientEvents,
  presenceSnapshot,
  type StatusChange,
} from '../../contract/presence.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { memberJoined } from '../../contract/server.ts';
import type { Delivery } from '../../delivery/delivery.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import { emitTo } from '../../gateway/outlet.ts';
import { leaveWatches, type ParleySocket } from '../../gateway/socket.ts';
import { isLive, liveOf } from '../../gateway/subscription.ts';
import { dataOf } from './broadcaster.ts';
import type { ChannelPeople } from './channel-presence.ts';
import type { PresenceService } from './presence.service.ts';
import type { Presence } from './presence.ts';

/** How many people a socket may follow besides those of its channels; the oldest are dropped first. */
const maxWatched = 1000;

/** Logs may contain events of other versions; this field is always there. */
const joined = memberJoined.payload.pick({ userId: true });

/** Feeds presence with what a node knows: who is connected to it, and who has joined people that did not know them. */
export function connectPresence(
  gateway: Gateway,
  delivery: Delivery,
  presence: Presence,
  service: PresenceService,
): void {
  presence.start(gateway);
  gateway.onConnection(async (socket) => {
    const left = presence.came(socket.data.actor.userId);
    socket.once('disconnect', () => {
      left();
      void service.endActivities(socket.id).catch(() => {});
    });
    if (!socket.recovered) return;
    if (socket.data.watched.length > 0) await follow(service, socket, socket.data.watched);
    socket.data.watched = [];
    void sendMissed(presence, service, socket);
  });
  gateway.subscriptions.onLoss = (socket, isLost) => void service.endActivities(socket.id, isLost).catch(() => {});
  delivery.observe((entry) => {
    if (entry.event !== memberJoined.name) return;
    presence.joined(joined.parse(JSON.parse(entry.json)).userId);
  });
}

/** A recovered client assumes that it missed nothing, and does not join its channels again. */
async function sendMissed(presence: Presence, service: PresenceService, socket: ParleySocket): Promise<void> {
  const changes = await presence.missed(socket.rooms).catch(() => []);
  if (changes.length > 0) emitTo(socket, presenceChange.name, JSON.stringify(dataOf(changes)));
  const rooms = liveOf(socket).map(({ room }) => room);
  for (const { channelId, userId, activity } of await service.activitiesIn(new Set(rooms))) {
    // It may have lost the channel, or left it, meanwhile.
    if (!isLive(socket, channelRoom(channelId)) || userId === socket.data.actor.userId) continue;
    emitTo(socket, presenceActivity.name, JSON.stringify({ channelId, userId, activity }));
  }
}

export function presenceHandlers(presence: PresenceService): Handler[] {
  return handlers(presenceClientEvents, {
    async 'presence:update'({ actor, payload }) {
      await presence.update(actor, payload.status);
      return { status: payload.status };
    },
    async 'presence:subscribe'({ payload, socket }) {
      return { users: await follow(presence, socket, payload.userIds) };
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

/** The JSON text of a snapshot, shared by sockets that join at about the same time. */
const snapshotTexts = new WeakMap<ChannelPeople, string>();

/** Sends the presence of a channel's people to a socket that has just joined it. */
export async function sendSnapshot(presence: PresenceService, socket: ParleySocket, channelId: string): Promise<void> {
  if (socket.data.actor.user.isBot && !(await presence.showsPeople(socket.data.actor, channelId))) return;
  const people = await presence.snapshot(channelId);
  const activities = await presence.activitiesOf(channelId);
  // It may have lost the channel, or left it, while the people were read.
  if (!socket.connected || !isLive(socket, channelRoom(channelId))) return;
  const text = snapshotTexts.get(people) ?? JSON.stringify({ channelId, ...people });
  snapshotTexts.set(people, text);
  emitTo(socket, presenceSnapshot.name, `${text.slice(0, -1)},"activities":${JSON.stringify(activities)}}`);
}

/** Makes a socket follow the presence of these users, as far as it may. @returns their current statuses */
async function follow(presence: PresenceService, socket: ParleySocket, userIds: string[]): Promise<StatusChange[]> {
  const { actor } = socket.data;
  const { users, rooms } = await presence.subscribe(actor, userIds);
  watch(socket, [...rooms.values()].flat());
  // If the user left a server meanwhile, these rooms were not left with it.
  const stay = async (serverId: string) => {
    if (!(await presence.isIn(actor, serverId))) leaveWatches(socket, serverId);
  };
  await Promise.all([...rooms.keys()].map(stay));
  return users;
}

function watch(socket: ParleySocket, rooms: string[]): void {
  // A socket that has disconnected meanwhile would stay in the rooms for ever.
  if (!socket.connected) return;
  const watched = [...socket.rooms].filter((room) => room.startsWith('watch:') && !rooms.includes(room));
  const excess = Math.max(0, watched.length + rooms.length - maxWatched);
  for (const room of watched.slice(0, excess)) void socket.leave(room);
  void socket.join(rooms.slice(0, maxWatched));
}

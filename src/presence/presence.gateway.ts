import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { tellOne } from '../gateway/frames.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type Handler, handler } from '../gateway/handler.ts';
import { leaveWatches } from '../gateway/membership.ts';
import type { ParleySocket } from '../gateway/socket.ts';
import { memberJoined } from '../servers/server.contract.ts';
import { dataOf } from './broadcaster.ts';
import {
  activitySchema,
  presenceChange,
  presenceSnapshot,
  subscribedSchema,
  subscribeSchema,
  updatePresenceSchema,
} from './presence.contract.ts';
import type { PresenceService } from './presence.service.ts';
import type { Presence } from './presence.ts';
import { type StatusChange, statusSchema } from './status.ts';

const tag = 'Presence';
/** A socket follows so many people beside those of its channels; the oldest make room. */
const maxWatched = 1000;

/** Logs may have it in the form of another version; of this much there is always. */
const joined = memberJoined.payload.pick({ userId: true });

/** What a node has to do for presence: who is connected to it, and who is among people who did not know of it. */
export function attendPresence(
  gateway: Gateway,
  delivery: Delivery,
  presence: Presence,
  service: PresenceService,
): void {
  presence.start(gateway);
  gateway.onConnection(async (socket) => {
    socket.once('disconnect', presence.came(socket.data.actor.userId));
    if (!socket.recovered) return;
    if (socket.data.watched.length > 0) await follow(service, socket, socket.data.watched);
    socket.data.watched = [];
    void tellMissed(presence, socket);
  });
  delivery.observe((entry) => {
    if (entry.event !== memberJoined.name) return;
    presence.joined(joined.parse(JSON.parse(entry.json)).userId);
  });
}

/** Its client takes nothing for missed, and joins no channel anew. */
async function tellMissed(presence: Presence, socket: ParleySocket): Promise<void> {
  const changes = await presence.missed(socket.rooms).catch(() => []);
  if (changes.length > 0) tellOne(socket, presenceChange.name, JSON.stringify(dataOf(changes)));
}

export function presenceHandlers(presence: PresenceService): Handler[] {
  return [
    handler({
      event: 'presence:update',
      summary: 'Set your status, for all devices.',
      tag,
      payload: updatePresenceSchema,
      ack: z.object({ status: statusSchema }),
      limit: 'events',
      lane: { by: null },
      async handle({ actor, payload }) {
        await presence.update(actor, payload.status);
        return { status: payload.status };
      },
    }),
    handler({
      event: 'presence:subscribe',
      summary: "Get people's presence, and from now on each change, even if you share no channel with them.",
      tag,
      payload: subscribeSchema,
      ack: subscribedSchema,
      limit: 'events',
      readOnly: true,
      async handle({ payload, socket }) {
        return { users: await follow(presence, socket, payload.userIds) };
      },
    }),
    handler({
      event: 'presence:activity',
      summary: 'Set what you are doing in a channel; null to clear it. It ends with the connection.',
      tag,
      payload: activitySchema,
      ack: z.object({}),
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'BLOCKED', 'USER_BLOCKED'],
      limit: 'events',
      lane: { by: 'channelId' },
      async handle({ actor, payload, socket }) {
        const { channelId, activity } = payload;
        await presence.activity(actor, channelId, activity, socket.id);
        endWithSocket(presence, actor, socket, channelId, activity !== null);
        return {};
      },
    }),
  ];
}

/** The text of what many are sent who join at about the same time. */
const snapshotTexts = new WeakMap<readonly StatusChange[], string>();

/** Sends the people of a channel to a socket that has just joined it. */
export async function sendSnapshot(presence: PresenceService, socket: ParleySocket, channelId: string): Promise<void> {
  const members = await presence.snapshot(channelId);
  if (!socket.connected) return;
  const text = snapshotTexts.get(members) ?? JSON.stringify({ channelId, members });
  snapshotTexts.set(members, text);
  tellOne(socket, presenceSnapshot.name, text);
}

/** The channels in which sockets said that they are doing something. */
const busy = new WeakMap<ParleySocket, Set<string>>();

/** Whoever goes is doing nothing any more, and cannot say so. */
function endWithSocket(
  presence: PresenceService,
  actor: Actor,
  socket: ParleySocket,
  channelId: string,
  isBusy: boolean,
): void {
  const end = (id: string) => void presence.activity(actor, id, null, socket.id).catch(() => {});
  if (!socket.connected) {
    // It went while this was told, and nobody will hear it go.
    if (isBusy) end(channelId);
    return;
  }
  const known = busy.get(socket);
  const channels = known ?? new Set<string>();
  if (isBusy) channels.add(channelId);
  else channels.delete(channelId);
  if (known) return;
  busy.set(socket, channels);
  socket.once('disconnect', () => {
    for (const id of channels) end(id);
  });
}

/** Lets a socket hear from now on what these users are, as far as it may. @returns what they are now */
async function follow(presence: PresenceService, socket: ParleySocket, userIds: string[]): Promise<StatusChange[]> {
  const { actor } = socket.data;
  const { users, rooms } = await presence.subscribe(actor, userIds);
  watch(socket, [...rooms.values()].flat());
  // Whoever left a server meanwhile was put out of its rooms before these were entered.
  const stay = async (serverId: string) => {
    if (!(await presence.isIn(actor, serverId))) leaveWatches(socket, serverId);
  };
  await Promise.all([...rooms.keys()].map(stay));
  return users;
}

function watch(socket: ParleySocket, rooms: string[]): void {
  // A room would keep who has gone meanwhile for ever.
  if (!socket.connected) return;
  const watched = [...socket.rooms].filter((room) => room.startsWith('watch:') && !rooms.includes(room));
  const excess = Math.max(0, watched.length + rooms.length - maxWatched);
  for (const room of watched.slice(0, excess)) void socket.leave(room);
  void socket.join(rooms.slice(0, maxWatched));
}

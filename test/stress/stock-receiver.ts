import { io, type Socket } from 'socket.io-client';
import type { Balancer } from '../rig/balancer.ts';
import { persist } from '../world/persistent.ts';
import type { Loose } from '../world/person.ts';
import { common, emit, filled, hear, lost, type Receiver, regained, type Seat } from './receivers.ts';
import { ownRoom, placeOf, Track } from './track.ts';

/** A door of its own that leads a client to one node at a time, as long polling asks for. */
export interface OwnDoor {
  door: Balancer;
  nodes: number;
}

/**
 * (b) A stock client that knows nothing of numbers: it trusts `recovered`, else it begins anew. With a door of its own it
 * takes long polling, else WebSocket.
 */
export async function stockReceiver(seat: Seat, own?: OwnDoor): Promise<Receiver> {
  const track = new Track('stock');
  const pace = { reconnectionDelay: 50, reconnectionDelayMax: 400 };
  const transports = [own ? 'polling' : 'websocket'];
  const socket = io(own?.door.url ?? seat.url, { ...common, ...pace, transports, auth: { token: seat.token } });
  const missing = new Set(seat.channelIds);
  let first = true;
  socket.onAny((event: string, data: Loose) => take(event, data, { seat, track, socket, missing }));
  socket.on('connect', () => {
    if (!first) track.returns++;
    if (socket.recovered) track.recovered++;
    else if (!first) {
      track.end();
      for (const channelId of seat.channelIds) missing.add(channelId);
    }
    first = false;
    void enterAll(socket, missing, track);
  });
  if (own) goElsewhere(socket, own);
  const close = persist(socket, 200);
  await filled(() => missing.size === 0);
  const stop = () => {
    close();
    void own?.door.stop();
  };
  return { userId: seat.userId, track, stop };
}

/** Each time that it is cut off it is led to the next node. */
function goElsewhere(socket: Socket, { door, nodes }: OwnDoor): void {
  let turn = 0;
  const next = () => {
    door.cut();
    door.pin(++turn % nodes);
  };
  door.pin(turn);
  socket.on('disconnect', next);
  socket.on('connect_error', next);
}

/** @param client.missing the channels that it still has to get into */
function take(
  event: string,
  data: Loose,
  client: { seat: Seat; track: Track; socket: Socket; missing: Set<string> },
): void {
  const { seat, track, socket, missing } = client;
  const place = placeOf(event, data);
  if (place && missing.has(place.channelId)) return;
  // Of DMs from before this connection it hears as things happen there.
  const isDm = place && place.channelId !== ownRoom && !seat.channelIds.includes(place.channelId);
  if (isDm && !track.isIn(place.channelId)) track.enter(place.channelId, place.seq - 1);
  hear(track, seat, event, data);
  for (const id of lost(seat, event, data)) missing.delete(id);
  const again = regained(seat, event, data);
  for (const id of again) missing.add(id);
  if (again.length > 0) void enterAll(socket, missing, track);
}

async function enterAll(socket: Socket, missing: Set<string>, track: Track): Promise<void> {
  for (const channelId of [...missing]) {
    const enter = (ack: Loose) => {
      // It is not there any more, and will be told when it may come back.
      if (ack?.ok === false && ack.code !== 'DATABASE_UNAVAILABLE') missing.delete(channelId);
      // In the moment of the ack: the next packet may be an event of the room.
      if (!ack?.ok || !missing.delete(channelId)) return;
      track.enter(channelId, ack.seq);
    };
    while (socket.connected && missing.has(channelId)) {
      await emit(socket, 'channel:join', { channelId }, enter);
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { persist } from '../world/persistent.ts';
import type { Loose } from '../world/person.ts';
import { type Ledger, sentAtOf } from './ledger.ts';
import { RawSocket } from './raw-socket.ts';
import { placeOf, Track } from './track.ts';

/** Someone who receives, and what came of it. */
export interface Receiver {
  track: Track;
  stop(): void;
}

/** Where and as whom, and what to listen to. */
export interface Seat {
  url: string;
  token: string;
  channelIds: string[];
}

const common = { transports: ['websocket'], forceNew: true, timeout: 2000 };
const ackMs = 5000;

/** (a) An undisturbed socket: listens at a node, straight on the wire. */
export async function rawReceiver(seat: Seat, ledger: Ledger, onClosed: (track: Track) => void): Promise<Receiver> {
  const track = new Track('raw');
  const heard = (event: string, data: Loose) => {
    const place = placeOf(data);
    if (!place || !track.take(place.channelId, place.seq)) return;
    if (event === 'message:new') ledger.arrived(data.id, sentAtOf(data.content));
  };
  const socket = await RawSocket.connect(seat.url, seat.token, heard, () => onClosed(track));
  for (const channelId of seat.channelIds) {
    const ack = await socket.emit('channel:join', { channelId });
    track.enter(channelId, ack.seq);
  }
  return { track, stop: () => socket.close() };
}

/** (b) A stock client that knows nothing of numbers: it trusts `recovered`, else it begins anew. */
export async function stockReceiver(seat: Seat): Promise<Receiver> {
  const track = new Track('stock');
  const pace = { reconnectionDelay: 50, reconnectionDelayMax: 400 };
  const socket = io(seat.url, { ...common, ...pace, auth: { token: seat.token } });
  const missing = new Set(seat.channelIds);
  let first = true;
  socket.onAny((_event: string, data: Loose) => {
    const place = placeOf(data);
    if (place && !missing.has(place.channelId)) track.take(place.channelId, place.seq);
  });
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
  const stop = persist(socket, 200);
  await filled(() => missing.size === 0);
  return { track, stop };
}

async function enterAll(socket: Socket, missing: Set<string>, track: Track): Promise<void> {
  for (const channelId of [...missing]) {
    const enter = (ack: Loose) => {
      // In the moment of the ack: the next packet may be an event of the room.
      if (!ack?.ok || !missing.delete(channelId)) return;
      track.enter(channelId, ack.seq);
    };
    while (socket.connected && missing.has(channelId)) {
      await emit(socket, 'channel:join', { channelId }, enter);
    }
  }
}

/** (c) A client that comes back by `channel:join { after }`, and (d) one that does so by `auth.resume`. */
export async function returningReceiver(seat: Seat, kind: 'after' | 'resume', ledger: Ledger): Promise<Receiver> {
  const track = new Track(kind);
  let stopped = false;
  let socket: Socket | undefined;
  const run = async () => {
    while (!stopped) {
      const positions = Object.fromEntries(seat.channelIds.flatMap((id) => pairOf(id, track.positionIn(id))));
      const resume = kind === 'resume' && Object.keys(positions).length > 0 ? { resume: positions } : {};
      const auth = { token: seat.token, ...resume };
      socket = io(seat.url, { ...common, reconnection: false, auth });
      await connection(socket, seat, track, ledger, 'resume' in auth);
      socket.disconnect();
      track.returns++;
      await delay(50 + Math.random() * 100);
    }
  };
  void run();
  await filled(() => seat.channelIds.every((id) => track.positionIn(id) !== undefined));
  const stop = () => {
    stopped = true;
    socket?.disconnect();
  };
  return { track, stop };
}

function pairOf(id: string, position: number | undefined): [string, number][] {
  return position === undefined ? [] : [[id, position]];
}

/** One connection, from its begin to its end. */
function connection(socket: Socket, seat: Seat, track: Track, ledger: Ledger, resumes: boolean): Promise<void> {
  socket.onAny((_event: string, data: Loose) => {
    const place = placeOf(data);
    if (place) track.take(place.channelId, place.seq);
  });
  const goOn = async (ids: string[]) => {
    for (const channelId of ids) while (socket.connected && !(await enterAfter(socket, channelId, track, ledger)));
  };
  socket.on('connect', () => void (resumes || goOn(seat.channelIds)));
  socket.on('resumed', ({ channels }: Loose) => {
    const open = seat.channelIds.filter((id) => !channels[id] || channels[id].hasMore || channels[id].ok === false);
    const lost = seat.channelIds.filter((id) => channels[id]?.recovered === false);
    if (lost.length > 0) ledger.broken.push('auth.resume could not go on in a log that is whole');
    void goOn(open);
  });
  return new Promise((resolve) => {
    socket.on('disconnect', () => resolve());
    socket.on('connect_error', () => resolve());
  });
}

/** @returns whether it is in the room now */
async function enterAfter(socket: Socket, channelId: string, track: Track, ledger: Ledger): Promise<boolean> {
  let entered = false;
  await emit(socket, 'channel:join', { channelId, after: track.positionIn(channelId) }, (ack) => {
    if (!ack?.ok) return;
    if (track.positionIn(channelId) === undefined) track.enter(channelId, ack.seq);
    if (!ack.recovered) ledger.broken.push('channel:join { after } could not go on in a log that is whole');
    for (const { seq } of ack.events) track.take(channelId, seq);
    entered = !ack.hasMore;
  });
  return entered;
}

/** (e) A long poller. */
export async function pollReceiver(seat: Seat, ledger: Ledger): Promise<Receiver> {
  const track = new Track('poll');
  const stopping = new AbortController();
  const begun = seat.channelIds.map(async (channelId) => {
    const head = await page(seat, channelId, Number.MAX_SAFE_INTEGER, 0, stopping.signal);
    track.enter(channelId, head?.seq ?? 0);
  });
  await Promise.all(begun);
  for (const channelId of seat.channelIds) void pollOn(seat, channelId, track, ledger, stopping.signal);
  return { track, stop: () => stopping.abort() };
}

async function pollOn(seat: Seat, id: string, track: Track, ledger: Ledger, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const got = await page(seat, id, track.positionIn(id) ?? 0, 4, stopping);
    if (!got) await delay(50);
    else if (!got.recovered) ledger.broken.push('a long poll could not go on in a log that is whole');
    for (const { seq } of got?.events ?? []) track.take(id, seq);
  }
}

/** A page of a log; undefined when it could not be had. */
async function page(seat: Seat, id: string, after: number, wait: number, stopping: AbortSignal): Promise<Loose> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(8000)]);
  const headers = { authorization: `Bearer ${seat.token}` };
  try {
    const response = await fetch(`${seat.url}/api/channels/${id}/events?after=${after}&wait=${wait}`, {
      headers,
      signal,
    });
    const answer: Loose = await response.json();
    return response.ok ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** Emits and hands the ack over in the very moment in which it comes; undefined when none came. */
function emit(socket: Socket, event: string, payload: object, take: (ack: Loose) => void): Promise<void> {
  return new Promise((resolve) => {
    socket.timeout(ackMs).emit(event, payload, (error: Error | null, ack: Loose) => {
      take(error ? undefined : ack);
      resolve();
    });
  });
}

async function filled(condition: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('A receiver did not get into its rooms.');
    await delay(10);
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import type { Loose } from '../world/person.ts';
import { type Ledger, sentAtOf } from './ledger.ts';
import { RawSocket } from './raw-socket.ts';
import { request } from './senders.ts';
import { ownRoom, placeOf, Track } from './track.ts';

/** Someone who receives, and what came of it. */
export interface Receiver {
  userId: string;
  track: Track;
  stop(): void;
}

/** Where and as whom, and what to listen to. */
export interface Seat {
  url: string;
  userId: string;
  token: string;
  channelIds: string[];
}

export const common = { transports: ['websocket'], forceNew: true, timeout: 2000 };
const ackMs = 5000;
const againMs = 100;

/** (a) An undisturbed socket: listens at a node, straight on the wire. */
export async function rawReceiver(seat: Seat, ledger: Ledger, onClosed: (track: Track) => void): Promise<Receiver> {
  const track = new Track('raw');
  const heard = (event: string, data: Loose) => {
    const isNew = hear(track, seat, event, data);
    if (isNew && event === 'message:new') ledger.arrived(data.id, sentAtOf(data.content));
  };
  const socket = await RawSocket.connect(seat.url, seat.token, heard, () => onClosed(track));
  for (const channelId of seat.channelIds) {
    const ack = await socket.emit('channel:join', { channelId });
    if (!ack) break;
    track.enter(channelId, ack.seq);
  }
  return { userId: seat.userId, track, stop: () => socket.close() };
}

/** What an event says of the rooms that one is in. @returns whether it is a new one of such a room */
export function hear(track: Track, seat: Seat, event: string, data: Loose): boolean {
  if (event === 'ready') track.reach(ownRoom, data.seq);
  const place = placeOf(event, data);
  const isNew = place !== undefined && track.take(place.channelId, place.seq, event, data);
  // Who comes back by joining hears of DMs only as long as it is connected: it would read what it missed by itself.
  const follows = event === 'dm:created' && track.kind !== 'after';
  if (follows && !track.isIn(data.id)) track.enter(data.id, data.since);
  if (track.kind === 'after' || track.kind === 'resume') return isNew;
  for (const id of lost(seat, event, data)) track.leave(id);
  return isNew;
}

/** The channels that one is put out of by an event of one's own. */
export function lost(seat: Seat, event: string, data: Loose): string[] {
  if (event === 'server:left') return seat.channelIds;
  return event === 'channel:member-removed' ? seat.channelIds.filter((id) => id === data.channelId) : [];
}

/** Those that one may be in again. */
export function regained(seat: Seat, event: string, data: Loose): string[] {
  if (event === 'server:joined') return seat.channelIds;
  return event === 'channel:member-added' ? seat.channelIds.filter((id) => id === data.channelId) : [];
}

/** (c) A client that comes back by `channel:join { after }`, and (d) one that does so by `auth.resume`. */
export async function returningReceiver(seat: Seat, kind: 'after' | 'resume', ledger: Ledger): Promise<Receiver> {
  const track = new Track(kind);
  let stopped = false;
  let socket: Socket | undefined;
  const run = async () => {
    while (!stopped) {
      const { positions } = track;
      const resumes = kind === 'resume' && ownRoom in positions;
      const auth = { token: seat.token, ...(resumes ? { resume: positions } : {}) };
      // Where it only joins, nobody tells it what it missed of the others.
      if (kind === 'after') track.leave(ownRoom);
      socket = io(seat.url, { ...common, reconnection: false, auth });
      await new Connection(socket, seat, track, ledger).live(resumes);
      socket.disconnect();
      track.returns++;
      await delay(50 + Math.random() * 100);
    }
  };
  void run();
  await filled(() => [ownRoom, ...seat.channelIds].every((id) => track.positionIn(id) !== undefined));
  const stop = () => {
    stopped = true;
    socket?.disconnect();
  };
  return { userId: seat.userId, track, stop };
}

/** One connection, from its begin to its end. */
class Connection {
  private readonly socket: Socket;
  private readonly seat: Seat;
  private readonly track: Track;
  private readonly ledger: Ledger;
  private readonly entering = new Set<string>();
  /** Where it may be in the room or not, as what it heard was overtaken: there joins may bring what it has. */
  private readonly doubtful = new Set<string>();
  private waitsForWord = false;

  constructor(socket: Socket, seat: Seat, track: Track, ledger: Ledger) {
    this.socket = socket;
    this.seat = seat;
    this.track = track;
    this.ledger = ledger;
  }

  /** Resolves when it has ended. */
  live(resumes: boolean): Promise<void> {
    const { socket, track } = this;
    this.waitsForWord = resumes;
    socket.onAny((event: string, data: Loose) => {
      hear(track, this.seat, event, data);
      const changed = [...lost(this.seat, event, data), ...regained(this.seat, event, data)];
      for (const id of changed) this.doubtful.add(id);
      if (!this.waitsForWord) for (const id of changed) void this.enter(id);
    });
    socket.on('connect', () => {
      if (!resumes) for (const id of this.seat.channelIds) void this.enter(id);
    });
    socket.on('resumed', (answer: Loose) => this.resumed(answer));
    return new Promise((resolve) => {
      socket.on('disconnect', () => resolve());
      socket.on('connect_error', () => resolve());
    });
  }

  /** What it was told of each room is where it is by then, or it goes on there by itself. */
  private resumed({ channels, user }: Loose): void {
    const { track } = this;
    for (const id of new Set([...this.seat.channelIds, ...Object.keys(channels)])) {
      const answer = channels[id];
      if (answer?.recovered === false) this.ledger.broken.push('auth.resume could not go on in a log that is whole');
      else if (answer?.recovered && !answer.hasMore) track.reach(id, answer.seq);
      else void this.enter(id);
    }
    this.waitsForWord = false;
    for (const id of this.doubtful) void this.enter(id);
    if (user?.recovered) track.reach(ownRoom, user.seq);
    else this.ledger.broken.push('auth.resume could not go on in the own log');
  }

  /** Joins until it is in the room, which may be when it is allowed to come back. */
  private async enter(channelId: string): Promise<void> {
    if (this.entering.has(channelId)) return;
    this.entering.add(channelId);
    while (this.socket.connected && this.entering.has(channelId)) {
      const after = this.track.positionIn(channelId);
      await emit(this.socket, 'channel:join', { channelId, after }, (ack) => this.entered(channelId, ack));
      if (this.entering.has(channelId)) await delay(againMs);
    }
  }

  private entered(channelId: string, ack: Loose): void {
    const { track } = this;
    if (!ack?.ok) return;
    if (track.positionIn(channelId) === undefined) track.enter(channelId, ack.seq);
    else if (!ack.recovered) this.ledger.broken.push('channel:join { after } could not go on in a log that is whole');
    const from = this.doubtful.has(channelId) ? (track.positionIn(channelId) ?? 0) : 0;
    for (const { seq, event, data } of ack.events) if (seq > from) track.take(channelId, seq, event, data);
    if (!ack.hasMore) this.entering.delete(channelId);
  }
}

/** (e) A long poller, of channels and of its own room. */
export async function pollReceiver(seat: Seat, ledger: Ledger): Promise<Receiver> {
  const track = new Track('poll');
  const stopping = new AbortController();
  const poll = (id: string) => void pollOn(seat, id, track, ledger, stopping.signal, poll);
  for (const id of [ownRoom, ...seat.channelIds]) {
    const head = await page(seat, id, undefined, 0, stopping.signal);
    track.enter(id, head?.seq ?? 0);
    poll(id);
  }
  return { userId: seat.userId, track, stop: () => stopping.abort() };
}

async function pollOn(
  seat: Seat,
  id: string,
  track: Track,
  ledger: Ledger,
  stopping: AbortSignal,
  poll: (id: string) => void,
): Promise<void> {
  while (!stopping.aborted) {
    const got = await page(seat, id, track.positionIn(id), 4, stopping);
    if (!got) await delay(50);
    else if (!got.recovered) ledger.broken.push('a long poll could not go on in a log that is whole');
    for (const { seq, event, data } of got?.events ?? []) {
      track.take(id, seq, event, data);
      if (event !== 'dm:created' || track.isIn(data.id)) continue;
      track.enter(data.id, data.since);
      poll(data.id);
    }
  }
}

/** A page of a log; undefined when it could not be had. */
async function page(
  seat: Seat,
  id: string,
  after: number | undefined,
  wait: number,
  stopping: AbortSignal,
): Promise<Loose> {
  const path = id === ownRoom ? '/api/events' : `/api/channels/${id}/events`;
  const from = after === undefined ? '' : `&after=${after}`;
  const { status, answer } = await request(seat, 'GET', `${path}?wait=${wait}${from}`, {}, {}, stopping);
  return status === 200 ? answer : undefined;
}

/** Emits and hands the ack over in the very moment in which it comes; undefined when none came. */
export function emit(socket: Socket, event: string, payload: object, take: (ack: Loose) => void): Promise<void> {
  return new Promise((resolve) => {
    socket.timeout(ackMs).emit(event, payload, (error: Error | null, ack: Loose) => {
      take(error ? undefined : ack);
      resolve();
    });
  });
}

export async function filled(condition: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('A receiver did not get into its rooms.');
    await delay(10);
  }
}

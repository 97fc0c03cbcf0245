import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BroadcastOptions } from 'socket.io-adapter';
import type { Room } from '../contract/rooms.ts';
import type { DeliveryCounters } from '../delivery/counters.ts';
import type { Delivered } from '../delivery/live-stream.ts';
import { announceAtOnce } from './announcements.ts';
import type { FeedDeps } from './feed.ts';
import { directConnection, frames } from './frames.ts';
import { kindOf, type Parcel, pack, Round } from './round.ts';
import type { ParleyServer, ParleySocket } from './socket.ts';

/** How often in one turn of the event loop it is looked whether something waits for a socket: a few ms. */
const looksAtOnce = 32_768;
/** Beyond this the broadcasts are finished without a pause, which holds up whoever adds to them. */
const maxWaitingBytes = 8 * 1024 * 1024;
/** The same for their number: each socket that is looked at is compared with all of them. */
const maxRounds = 500;

/** A walk through the sockets of some rooms, in parts, which gives each what waits for it. */
interface Pass {
  room: Room;
  besides: string | null;
  ids: Iterator<string>;
}

/**
 * Events on their way to the sockets of this node. A room of thousands gets them in parts, with a turn of the event loop
 * between two of them, so that nothing waits for all of its writes; several broadcasts share the turns.
 *
 * Each socket gets each event once and in order, since a subscription knows what it has `reached`, and since whoever is
 * visited, for whichever room, is given everything that waits for it, in the order in which it was emitted. So:
 *
 * - The order of what is written to a socket is that of the delivery numbers, across rooms, which recovery relies on.
 * - Sockets that enter meanwhile have reached the room's position; those that leave or are evicted are not in it any more.
 *   A room's sockets may be walked through while they change, and in any order.
 * - What is to be sent to one socket alone comes behind what waits for it (`serve`).
 *
 * What waits is one text for all sockets. Events that are added before a pass begins join those that wait for it.
 */
export class Broadcasts {
  private readonly namespace: ReturnType<ParleyServer['of']>;
  private readonly access: FeedDeps['access'];
  private readonly counters: DeliveryCounters;
  private readonly offset: (mark: number) => string;
  private readonly writesAtOnce: number;
  /** In the order of their delivery numbers. */
  private rounds: Round<Pass>[] = [];
  private readonly passes = new Set<Pass>();
  private waitingBytes = 0;
  /** In this turn. */
  private written = 0;
  private looked = 0;
  private resting = false;
  /** Some socket takes the normal path. */
  private hasOthers = false;

  /** @param writesAtOnce to how many sockets it writes in one turn of the event loop */
  constructor(
    namespace: ReturnType<ParleyServer['of']>,
    access: FeedDeps['access'],
    counters: DeliveryCounters,
    offset: (mark: number) => string,
    writesAtOnce: number,
  ) {
    this.namespace = namespace;
    this.access = access;
    this.counters = counters;
    this.offset = offset;
    this.writesAtOnce = writesAtOnce;
  }

  /** The first delivery number that some socket may still wait for; undefined: none waits. */
  get firstUnsent(): number | undefined {
    return this.rounds[0]?.deliveries[0]?.mark;
  }

  /**
   * Writes events to the sockets in a room.
   * @param besides a further room that gets them
   */
  add(room: Room, besides: string | null, deliveries: Delivered[]): void {
    const { rooms } = this.namespace.adapter;
    if (!rooms.has(room) && (besides === null || !rooms.has(besides))) return;
    const last = this.rounds.at(-1);
    if (last?.isFor(room, besides) && !last.pass) last.join(deliveries);
    else this.rounds.push(new Round(room, besides, deliveries));
    this.waitingBytes += bytesOf(deliveries);
    this.goOn();
  }

  /** Writes to a socket everything that waits for it. @returns whether there was anything */
  serve(socket: ParleySocket): boolean {
    if (this.rounds.length === 0 || !socket.connected) return false;
    const isServed = this.give(socket);
    this.sendToOthers();
    return isServed;
  }

  /** Writes to one socket, behind what waits for it. */
  writeTo(socket: ParleySocket, deliveries: Delivered[]): void {
    this.serve(socket);
    const parcel = pack(deliveries, kindOf(socket), this.offset);
    this.write(socket, parcel);
    if (parcel.others.size > 0) this.broadcast(parcel);
    this.noteEnds(deliveries, socket);
  }

  async settled(room: Room): Promise<void> {
    while (this.rounds.some((round) => round.room === room)) await nextTurn();
  }

  private goOn(): void {
    while (this.rounds.length > 0 && !this.isTurnOver) this.shareTurn();
    if (this.resting || (this.rounds.length === 0 && this.written === 0)) return;
    this.resting = true;
    setImmediate(() => {
      this.resting = false;
      this.written = 0;
      this.looked = 0;
      this.goOn();
    });
  }

  private get isTurnOver(): boolean {
    if (this.waitingBytes > maxWaitingBytes || this.rounds.length > maxRounds) return false;
    return this.written >= this.writesAtOnce || this.looked >= looksAtOnce;
  }

  /** Gives each of the rooms at work a share of what is left of this turn. */
  private shareTurn(): void {
    for (const round of this.rounds) this.beginPass(round);
    const share = Math.ceil(Math.max(this.writesAtOnce - this.written, 1) / this.passes.size);
    for (const pass of this.passes) {
      this.walkOn(pass, share);
      if (this.isTurnOver) break;
    }
    this.sendToOthers();
  }

  /** A pass takes on all that waits for its rooms as it begins. The next one begins when it has ended. */
  private beginPass({ room, besides, pass }: Round<Pass>): void {
    if (pass || [...this.passes].some((other) => other.room === room && other.besides === besides)) return;
    const begun = { room, besides, ids: this.idsIn(besides === null ? [room] : [room, besides]) };
    for (const round of this.rounds) if (round.isFor(room, besides)) round.pass = begun;
    this.passes.add(begun);
  }

  private *idsIn(rooms: string[]): Generator<string> {
    for (const room of rooms) yield* this.namespace.adapter.rooms.get(room) ?? [];
  }

  private walkOn(pass: Pass, share: number): void {
    for (let given = 0, looked = 0; given < share && looked < looksAtOnce; looked += this.rounds.length) {
      const next = pass.ids.next();
      if (next.done) {
        this.endPass(pass);
        return;
      }
      this.looked += this.rounds.length;
      const socket = this.namespace.sockets.get(next.value);
      if (!socket || !this.give(socket)) continue;
      given++;
      this.written++;
    }
    // Those that were not given anything yet have their turn first.
    this.passes.delete(pass);
    this.passes.add(pass);
  }

  private endPass(pass: Pass): void {
    this.sendToOthers();
    this.passes.delete(pass);
    for (const { pass: own, deliveries, sockets } of this.rounds) {
      if (own !== pass) continue;
      this.waitingBytes -= bytesOf(deliveries);
      if (sockets > 0) this.counters.onFanOut(deliveries.length, sockets);
    }
    this.rounds = this.rounds.filter((round) => round.pass !== pass);
  }

  /** @returns whether something waited for the socket */
  private give(socket: ParleySocket): boolean {
    let given = 0;
    let corked: ReturnType<typeof directConnection>;
    for (const round of this.rounds) {
      const from = round.take(socket);
      if (from === -1) continue;
      // More than one piece: they leave together.
      if (++given === 2) {
        corked = directConnection(socket);
        corked?.cork();
      }
      this.write(socket, round.parcel(from, kindOf(socket), this.offset));
      this.noteEnds(from === 0 ? round.deliveries : round.deliveries.slice(from), socket);
    }
    corked?.uncork();
    return given > 0;
  }

  private write(socket: ParleySocket, parcel: Parcel): void {
    const connection = directConnection(socket);
    if (connection) {
      parcel.bytes ??= frames(parcel.packets.map((packet) => packet.text));
      connection.write(parcel.bytes);
    } else {
      parcel.others.add(socket.id);
      this.hasOthers = true;
    }
  }

  /** Together, so that they share what is buffered for them. */
  private sendToOthers(): void {
    if (!this.hasOthers) return;
    this.hasOthers = false;
    for (const { parcels } of this.rounds) {
      for (const parcel of parcels.values()) if (parcel.others.size > 0) this.broadcast(parcel);
    }
  }

  /** The in-memory broadcast, even if the adapter is the Redis one: other nodes deliver by themselves. */
  private broadcast(parcel: Parcel): void {
    const options: BroadcastOptions = { rooms: parcel.others, except: new Set() };
    for (const packet of parcel.packets) announceAtOnce(this.namespace.adapter, packet, options);
    parcel.others = new Set();
  }

  /** Sockets leave a room at its end: one that is cut off before the end has arrived gets it again when it returns. */
  private noteEnds(deliveries: Delivered[], { data }: ParleySocket): void {
    for (const { entry, mark } of deliveries) {
      if (this.access.isEnd(entry)) data.replayed.push({ mark, room: entry.room, seq: entry.seq, isEnd: true });
    }
  }
}

const bytesOf = (deliveries: Delivered[]): number => deliveries.reduce((sum, { entry }) => sum + entry.json.length, 0);

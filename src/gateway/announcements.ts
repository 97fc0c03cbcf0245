import { Adapter, type BroadcastOptions } from 'socket.io-adapter';
import type { Packet } from 'socket.io-parser';

/** Socket.IO's own broadcast on this node: to all of the sockets in this turn. */
const atOnce = Adapter.prototype.broadcast;

/** More broadcasts than this do not wait: what is stale at once is dropped, the others are finished without a pause. */
const maxWaiting = 100;

interface Waiting {
  adapter: Adapter;
  packet: Packet;
  options: BroadcastOptions;
  /** The rooms: broadcasts to the same ones stay in order. */
  to: string;
  ids: Iterator<string>;
}

const waiting: Waiting[] = [];
/** Of the adapters that broadcast in parts: to how many sockets in one turn of the event loop. */
const partSizes = new WeakMap<Adapter, number>();
let isInstalled = false;

/**
 * Makes an adapter's broadcasts of events outside the log (typing, presence, pieces of streams) to many sockets happen in
 * parts, with a turn of the event loop between two of them, whichever node they come from. Those who leave the rooms
 * meanwhile get nothing more. The Redis adapter calls the method of its parent class, so it is replaced there.
 * @param writesAtOnce to how many sockets it writes in one turn
 */
export function announceInParts(adapter: Adapter, writesAtOnce: number): void {
  partSizes.set(adapter, writesAtOnce);
  if (isInstalled) return;
  isInstalled = true;
  Reflect.set(
    Adapter.prototype,
    'broadcast',
    function announce(this: Adapter, packet: Packet, given: BroadcastOptions) {
      if (mayWait(this, given.rooms)) announceLater(this, packet, given);
      else announceAtOnce(this, packet, given);
    },
  );
}

function mayWait(adapter: Adapter, rooms: Set<string>): boolean {
  const to = [...rooms].join();
  const isBehind = waiting.some((one) => one.adapter === adapter && one.to === to);
  return isBehind || sizeOf(adapter, rooms) > partSize(adapter);
}

function announceLater(adapter: Adapter, packet: Packet, options: BroadcastOptions): void {
  if (waiting.length >= maxWaiting && options.flags?.volatile) return;
  waiting.push({ adapter, packet, options, to: [...options.rooms].join(), ids: idsIn(adapter, options.rooms) });
  while (waiting.length > maxWaiting) announcePart();
  if (waiting.length === 1) announceSoon();
}

const partSize = (adapter: Adapter): number => partSizes.get(adapter) ?? Number.POSITIVE_INFINITY;

/** The same to all in this turn. */
export function announceAtOnce(adapter: Adapter, packet: Packet, options: BroadcastOptions): void {
  atOnce.call(adapter, packet, options);
}

function announceSoon(): void {
  setImmediate(() => {
    announcePart();
    if (waiting.length > 0) announceSoon();
  });
}

function announcePart(): void {
  const [first] = waiting;
  if (!first) return;
  const part = new Set<string>();
  const size = partSize(first.adapter);
  while (part.size < size) {
    const next = first.ids.next();
    if (next.done) break;
    part.add(next.value);
  }
  // Each socket is in a room of its own. No rooms would mean everyone.
  if (part.size > 0) announceAtOnce(first.adapter, first.packet, { ...first.options, rooms: part });
  if (part.size < size) waiting.shift();
}

function sizeOf({ rooms }: Adapter, names: Set<string>): number {
  let size = 0;
  for (const name of names) size += rooms.get(name)?.size ?? 0;
  return size;
}

/** Of each socket once. Read as it goes on, so that those who have left are not among them. */
function* idsIn({ rooms }: Adapter, names: Set<string>): Generator<string> {
  const seen = new Set<string>();
  for (const name of names) {
    for (const id of rooms.get(name) ?? []) {
      if (names.size > 1 && seen.has(id)) continue;
      if (names.size > 1) seen.add(id);
      yield id;
    }
  }
}

import type { Loose } from '../world/person.ts';
import { sentAtOf } from './ledger.ts';

export type Kind = 'raw' | 'stock' | 'after' | 'resume' | 'poll';
export const kinds: Kind[] = ['raw', 'stock', 'after', 'resume', 'poll'];

/** The name of the log of one's own, among the ids of channels. */
export const ownRoom = 'user';
/** Losing access takes hold within so many milliseconds (contract §13, Delivery), on a busy machine. */
const barredMs = 2500;
const ofChannels = /^(message|reaction|thread|member):|^channel:(updated|deleted)$/;

/** A stretch of a room's log that a receiver was to get whole; `to` is open until the stretch ends. */
interface Span {
  from: number;
  to: number | undefined;
}

interface Place {
  spans: Span[];
  position: number;
  seen: Set<number>;
  /** Since when the receiver may not be here. */
  barredAt: number | undefined;
  /** What the events say of the messages. */
  messages: Map<string, Loose>;
}

/** What one receiver got of each room's log: everything once and in order, or it is counted here. */
export class Track {
  readonly kind: Kind;
  duplicates = 0;
  disordered = 0;
  /** What else was wrong, in sentences, and where order was. */
  readonly notes: string[] = [];
  /** Connections after the first, and how many of them Socket.IO recovered. */
  returns = 0;
  recovered = 0;
  private readonly places = new Map<string, Place>();

  constructor(kind: Kind) {
    this.kind = kind;
  }

  /** It is in a room from here on. What came before it knows to have missed. */
  enter(channelId: string, seq: number): void {
    const known = this.places.get(channelId);
    const place: Place = known ?? {
      spans: [],
      position: seq,
      seen: new Set(),
      barredAt: undefined,
      messages: new Map(),
    };
    this.endSpan(place);
    // Who begins anew may be given again what came before.
    for (const later of place.seen) if (later > seq) place.seen.delete(later);
    place.spans.push({ from: seq, to: undefined });
    place.position = seq;
    this.places.set(channelId, place);
  }

  /** It is said where a room stands: what the receiver has not got by now is missing. */
  reach(channelId: string, seq: number): void {
    if (!this.isIn(channelId)) this.enter(channelId, seq);
    const position = this.positionIn(channelId);
    if (position !== seq) this.notes.push(`${this.kind}: is told of ${seq} in ${channelId} and has ${position}`);
  }

  /** It is cut off by the fault itself, or knows that it has to begin anew: nothing more is due. */
  end(): void {
    for (const place of this.places.values()) this.endSpan(place);
  }

  /** It was put out of a room, and knows it. */
  leave(channelId: string): void {
    const place = this.places.get(channelId);
    if (place) this.endSpan(place);
  }

  /** From now on it may not be there, or (undefined) may again. */
  bar(channelId: string, at: number | undefined): void {
    const place = this.places.get(channelId);
    if (place) place.barredAt = at;
  }

  isIn(channelId: string): boolean {
    const span = this.places.get(channelId)?.spans.at(-1);
    return span !== undefined && span.to === undefined;
  }

  positionIn(channelId: string): number | undefined {
    return this.places.get(channelId)?.position;
  }

  /** Where it is in each room. */
  get positions(): Record<string, number> {
    return Object.fromEntries([...this.places].map(([id, { position }]) => [id, position]));
  }

  /** An event came. @returns whether it is new */
  take(channelId: string, seq: number, event = '', data: Loose = {}): boolean {
    const place = this.places.get(channelId);
    const span = place?.spans.at(-1);
    const isMessage = event === 'message:new';
    if (place?.barredAt && isMessage && sentAtOf(data.content) > place.barredAt + barredMs)
      this.notes.push(`${this.kind}: ${seq} in ${channelId} came to someone who may not be there`);
    if (!place || !span || span.to !== undefined) return false;
    if (place.seen.has(seq)) {
      this.duplicates++;
      this.notes.push(`${this.kind}: ${event} ${seq} in ${channelId} came twice`);
      return false;
    }
    if (seq !== place.position + 1) {
      this.disordered++;
      this.notes.push(`${this.kind}: ${event} ${seq} in ${channelId} came behind ${place.position}`);
    }
    place.seen.add(seq);
    place.position = Math.max(place.position, seq);
    draw(place.messages, event, data);
    return true;
  }

  /** Of the acknowledged messages, how many were due here and how many came. */
  count(acknowledged: Map<string, number[]>): { due: number; got: number } {
    const total = { due: 0, got: 0 };
    for (const [channelId, place] of this.places) {
      for (const seq of acknowledged.get(channelId) ?? []) {
        if (!place.spans.some(({ from, to }) => seq > from && seq <= (to ?? Number.POSITIVE_INFINITY))) continue;
        total.due++;
        if (place.seen.has(seq)) total.got++;
      }
    }
    return total;
  }

  /** The messages of a room since it is there, as the events made them; undefined: it is not. */
  picture(channelId: string): { from: number; messages: Map<string, Loose> } | undefined {
    const place = this.places.get(channelId);
    const span = place?.spans.at(-1);
    return place && span && span.to === undefined ? { from: span.from, messages: place.messages } : undefined;
  }

  private endSpan(place: Place): void {
    const span = place.spans.at(-1);
    if (span && span.to === undefined) span.to = place.position;
  }
}

function draw(messages: Map<string, Loose>, event: string, data: Loose): void {
  const { eventSeq, nonce, ...record } = data;
  if (event === 'message:new' || event === 'message:updated') messages.set(record.id, record);
  else if (event === 'message:deleted') messages.delete(record.id);
  else if (event === 'reaction:updated') {
    const message = messages.get(record.messageId);
    if (message) messages.set(message.id, { ...message, reactions: record.reactions });
  }
}

/** The room and number of a durable event; undefined for all others. */
export function placeOf(event: string, data: Loose): { channelId: string; seq: number } | undefined {
  const { channelId, eventSeq } = data ?? {};
  if (typeof eventSeq !== 'number') return undefined;
  if (!ofChannels.test(event)) return { channelId: ownRoom, seq: eventSeq };
  return { channelId: channelId ?? data.channel?.id, seq: eventSeq };
}

import type { Loose } from '../world/person.ts';

export type Kind = 'raw' | 'stock' | 'after' | 'resume' | 'poll';
export const kinds: Kind[] = ['raw', 'stock', 'after', 'resume', 'poll'];

/** A stretch of a room's log that a receiver was to get whole; `to` is open until the stretch ends. */
interface Span {
  from: number;
  to: number | undefined;
}

interface Place {
  spans: Span[];
  position: number;
  seen: Set<number>;
}

/** What one receiver got of each room's log: everything once and in order, or it is counted here. */
export class Track {
  readonly kind: Kind;
  duplicates = 0;
  disordered = 0;
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
    const place = known ?? { spans: [], position: seq, seen: new Set() };
    this.endSpan(place);
    place.spans.push({ from: seq, to: undefined });
    place.position = seq;
    this.places.set(channelId, place);
  }

  /** It is cut off by the fault itself, or knows that it has to begin anew: nothing more is due. */
  end(): void {
    for (const place of this.places.values()) this.endSpan(place);
  }

  positionIn(channelId: string): number | undefined {
    return this.places.get(channelId)?.position;
  }

  /** An event came. @returns whether it is new */
  take(channelId: string, seq: number): boolean {
    const place = this.places.get(channelId);
    const span = place?.spans.at(-1);
    if (!place || !span || span.to !== undefined) return false;
    if (place.seen.has(seq)) {
      this.duplicates++;
      return false;
    }
    if (seq !== place.position + 1) this.disordered++;
    place.seen.add(seq);
    place.position = Math.max(place.position, seq);
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

  private endSpan(place: Place): void {
    const span = place.spans.at(-1);
    if (span && span.to === undefined) span.to = place.position;
  }
}

/** The room and number of a durable event of a channel; undefined for all others. */
export function placeOf(data: Loose): { channelId: string; seq: number } | undefined {
  const { channelId, eventSeq } = data ?? {};
  if (typeof channelId !== 'string' || typeof eventSeq !== 'number') return undefined;
  return { channelId, seq: eventSeq };
}

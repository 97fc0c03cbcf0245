import type { z } from 'zod';
import type { logPageSchema } from '../events/events.contract.ts';

export type LogPage = z.output<typeof logPageSchema>;

/**
 * One room as its listener sees it: every durable event once, in order, whichever way it came. The server keeps the
 * order on a connection and joins what was missed on to it without a hole (contract §10); what is left to do here is to
 * remember the position over connections, and to drop what comes twice. A number that is left out is none that is
 * missing: those who may not see all get a filtered log.
 */
export class Feed {
  /** Null for the user's own room. */
  readonly channelId: string | null;
  /** Number of the last event that was handed on; undefined: never connected so far. */
  position: number | undefined;
  /** Whether all that happens arrives at once, on the connection of the moment. */
  live = false;
  private readonly hand: (event: string, data: object) => void;
  private readonly reload: () => void;

  /**
   * @param hand takes an event
   * @param reload called when the log no longer reaches back to where this feed was: lists have to be read anew
   */
  constructor(channelId: string | null, hand: (event: string, data: object) => void, reload: () => void) {
    this.channelId = channelId;
    this.hand = hand;
    this.reload = reload;
  }

  /** Takes an event as it came; those without a number (typing and the like) are passed on. */
  take(event: string, data: object): void {
    const seq = 'eventSeq' in data && typeof data.eventSeq === 'number' ? data.eventSeq : undefined;
    if (seq !== undefined) {
      if (this.position !== undefined && seq <= this.position) return;
      this.position = seq;
    }
    this.hand(event, data);
  }

  /** Takes a piece of the log: the ack of a join, or the answer of a poll. */
  takePage(page: LogPage): void {
    for (const { event, data } of page.events) this.take(event, data);
    this.reach(page.seq, page.recovered);
  }

  /** The server says where the room is now. */
  reach(seq: number, recovered: boolean): void {
    const known = this.position !== undefined;
    if (!recovered || !known || seq > (this.position ?? 0)) this.position = seq;
    if (!recovered && known) this.reload();
  }
}

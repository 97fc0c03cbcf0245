import type { z } from 'zod';
import type { logPageSchema } from '../contract/events.ts';

export type LogPage = z.output<typeof logPageSchema>;

/**
 * One room as its listener sees it: every durable event once, in order, however it arrived. The server keeps the order
 * on a connection and sends missed events without a gap (contract §10); what remains is to remember the position across
 * connections, and to drop duplicates. Skipped numbers are not missing: those who may not see everything get a filtered
 * log.
 */
export class Feed {
  /** Null for the user's own room. */
  readonly channelId: string | null;
  /** Number of the last event passed on; undefined: not connected so far. */
  position: number | undefined;
  /** Whether all events arrive live on the current connection. */
  live = false;
  private readonly hand: (event: string, data: object) => void;
  private readonly reload: () => void;

  /**
   * @param hand takes an event
   * @param reload called when the log no longer reaches back to this feed's position: lists have to be reread
   */
  constructor(channelId: string | null, hand: (event: string, data: object) => void, reload: () => void) {
    this.channelId = channelId;
    this.hand = hand;
    this.reload = reload;
  }

  /** Takes an event as it arrived; those without a number (typing and the like) are passed on. */
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

  /** The server reports the room's current position. */
  reach(seq: number, recovered: boolean): void {
    const known = this.position !== undefined;
    if (!recovered || !known || seq > (this.position ?? 0)) this.position = seq;
    if (!recovered && known) this.reload();
  }
}

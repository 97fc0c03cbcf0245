import { ParleyError } from '../../../client/index.ts';
import type { Core } from './session.ts';

/** How long after the last message came into view the position is sent. */
const afterMs = 400;

interface Sent {
  seq: number;
  /** Where it was, as the server last said: if the user marked something as unread since, elsewhere, that stays. */
  knownSeq?: number;
}

/**
 * Sends how far the user has read channels, or threads, once there is a connection: other devices count as unread what is
 * not sent.
 */
export class ReadPositions {
  private readonly core: Core;
  private readonly send: (id: string, sent: Sent) => Promise<{ lastReadSeq: number }>;
  /** As the server last said. */
  private readonly known = new Map<string, number>();
  /** Those still to be sent: cancels that. */
  private readonly waiting = new Map<string, () => void>();

  /** @param send makes the request, and takes in its answer */
  constructor(core: Core, send: (id: string, sent: Sent) => Promise<{ lastReadSeq: number }>) {
    this.core = core;
    this.send = send;
  }

  /** Takes in what the server says. */
  report(id: string, seq: number): void {
    this.known.set(id, seq);
  }

  /** Sends a position soon, instead of one that was not sent yet. */
  put(id: string, seq: number): void {
    this.cancel(id);
    this.waiting.set(
      id,
      this.core.scope.after(afterMs, () => this.sendNow(id, seq)),
    );
  }

  cancel(id: string): void {
    this.waiting.get(id)?.();
    this.waiting.delete(id);
  }

  private sendNow(id: string, seq: number): void {
    const knownSeq = this.known.get(id);
    this.waiting.delete(id);
    this.send(id, knownSeq === undefined ? { seq } : { seq, knownSeq })
      .then(({ lastReadSeq }) => this.report(id, lastReadSeq))
      .catch((error) => {
        if (!(error instanceof ParleyError) || !error.isPassing || this.waiting.has(id)) return;
        this.waiting.set(
          id,
          this.core.connection.whenReachable(() => this.sendNow(id, seq)),
        );
      });
  }
}

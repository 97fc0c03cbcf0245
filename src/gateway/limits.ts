import type { Log } from '../infrastructure/log.ts';
import { type RateLimits, refusal } from '../infrastructure/rate-limits.ts';
import type { Handler } from './handler.ts';
import type { ParleySocket } from './socket.ts';

/** A client that ignores this many refusals within a minute is cut off: refusing costs the node more than sending costs it. */
const maxRefusals = 2000;
const refusalSeconds = 60;

interface Window {
  count: number;
  endsAt: number;
}

/**
 * How much a client may send (contract §3): per user, on all sockets and nodes together. It waits for nothing: nodes add their
 * counts up ten times a second.
 */
export class SocketLimits {
  private readonly limits: RateLimits;
  private readonly log: Log;
  private readonly refusals = new WeakMap<ParleySocket, Window>();

  constructor(limits: RateLimits, log: Log) {
    this.limits = limits;
    this.log = log;
  }

  /** @throws AppError RATE_LIMITED */
  take(name: Handler['limit'], socket: ParleySocket): void {
    const { actor } = socket.data;
    const quota = name === 'messages' ? this.limits.takeMessage(actor) : this.limits.takeEvent(name, actor);
    if (!quota?.exceeded) return;
    this.countRefusal(socket);
    throw refusal(quota);
  }

  private countRefusal(socket: ParleySocket): void {
    const window = this.refusalsOf(socket);
    window.count++;
    if (window.count !== maxRefusals) return;
    this.log.warn({ userId: socket.data.actor.userId }, 'A socket sends far more than it may and is cut off.');
    socket.data.isCutOff = true;
    socket.conn.close(true);
  }

  private refusalsOf(socket: ParleySocket): Window {
    let window = this.refusals.get(socket);
    if (!window || window.endsAt <= performance.now()) {
      window = { count: 0, endsAt: performance.now() + refusalSeconds * 1000 };
      this.refusals.set(socket, window);
    }
    return window;
  }
}

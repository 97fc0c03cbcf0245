import type { Log } from '../infrastructure/log.ts';
import { type Quota, type RateLimits, refusal } from '../infrastructure/rate-limits.ts';
import type { Settings } from '../settings/settings.ts';
import type { Handler } from './handler.ts';
import type { ParleySocket } from './socket.ts';

/** What is counted per socket. */
type Counted = Exclude<Handler['limit'], 'messages'>;

/** A client that ignores this many refusals within a minute is cut off: refusing costs the node more than sending costs it. */
const maxRefusals = 2000;
const refusalSeconds = 60;

interface Window {
  count: number;
  endsAt: number;
}

/** How much a client may send (contract §3): messages per user, across all nodes; other events per socket, so only here. */
export class SocketLimits {
  private readonly limits: RateLimits;
  private readonly settings: Pick<Settings, 'rates' | 'rateLimits'>;
  private readonly log: Log;
  private readonly windows = new WeakMap<ParleySocket, Map<Counted | 'refusals', Window>>();

  constructor(limits: RateLimits, settings: Pick<Settings, 'rates' | 'rateLimits'>, log: Log) {
    this.limits = limits;
    this.settings = settings;
    this.log = log;
  }

  /** @throws AppError RATE_LIMITED */
  take(name: Handler['limit'], socket: ParleySocket): void {
    const quota = name === 'messages' ? this.limits.takeMessage(socket.data.actor) : this.takeEvent(name, socket);
    if (!quota?.exceeded) return;
    this.countRefusal(socket);
    throw refusal(quota);
  }

  private countRefusal(socket: ParleySocket): void {
    const window = this.window('refusals', socket, refusalSeconds);
    window.count++;
    if (window.count !== maxRefusals) return;
    this.log.warn({ userId: socket.data.actor.userId }, 'A socket sends far more than it may and is cut off.');
    socket.data.isCutOff = true;
    socket.conn.close(true);
  }

  private takeEvent(name: Counted, socket: ParleySocket): Quota | null {
    if (!this.settings.rateLimits) return null;
    const { points, seconds } = this.settings.rates[name];
    const window = this.window(name, socket, seconds);
    const exceeded = window.count >= points;
    if (!exceeded) window.count++;
    return {
      name,
      points,
      seconds,
      remaining: points - window.count,
      resetMs: window.endsAt - performance.now(),
      exceeded,
    };
  }

  private window(name: Counted | 'refusals', socket: ParleySocket, seconds: number): Window {
    let ofSocket = this.windows.get(socket);
    if (!ofSocket) {
      ofSocket = new Map();
      this.windows.set(socket, ofSocket);
    }
    let window = ofSocket.get(name);
    if (!window || window.endsAt <= performance.now()) {
      window = { count: 0, endsAt: performance.now() + seconds * 1000 };
      ofSocket.set(name, window);
    }
    return window;
  }
}

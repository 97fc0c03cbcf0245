import { AppError } from '../../contract/errors.ts';
import { AtOnce, AtOnceByNetwork } from '../../infrastructure/at-once.ts';
import type { Networks } from '../../infrastructure/client-address.ts';

export interface SlotLimits {
  /** Requests and WebSockets of a node at once, … */
  concurrency: number;
  /** … of these to one app, … */
  perApp: number;
  /** … and from one address. */
  perAddress: number;
}

/** A request or WebSocket that is being passed on. */
export interface Slot {
  readonly appId: string;
  /** The app's address when it began. */
  readonly url: string;
  /** Aborts when it has to end before its time. */
  readonly signal: AbortSignal;
  /** Whether it may last as long as both sides want: a WebSocket, a stream of events. */
  endless: boolean;
  leave(): void;
}

/** Limits concurrent use of the proxy: neither one slow app nor one caller takes what the others need. */
export class ProxySlots {
  private readonly limits: SlotLimits;
  private readonly apps: AtOnce;
  private readonly addresses: AtOnceByNetwork;
  private readonly taken = new Map<Slot, AbortController>();

  /** @param siteFactor how many times the limit of an address a /48 of IPv6 has */
  constructor(limits: SlotLimits, siteFactor: number) {
    this.limits = limits;
    this.apps = new AtOnce(limits.perApp);
    this.addresses = new AtOnceByNetwork(limits.perAddress, siteFactor);
  }

  /** @param address of the caller @throws AppError SERVER_BUSY */
  enter(appId: string, url: string, address: Networks): Slot {
    if (this.taken.size >= this.limits.concurrency) throw new AppError('SERVER_BUSY');
    if (!this.apps.enter(appId))
      throw busy('This app has as many requests under way as it may; try again in a moment.');
    if (!this.addresses.enter(address)) {
      this.apps.leave(appId);
      throw busy('Your address has as many requests to apps under way as it may; wait for some of them.');
    }
    const controller = new AbortController();
    const leave = () => {
      if (!this.taken.delete(slot)) return;
      this.apps.leave(appId);
      this.addresses.leave(address);
    };
    const slot: Slot = { appId, url, signal: controller.signal, endless: false, leave };
    this.taken.set(slot, controller);
    return slot;
  }

  /** The apps with requests or WebSockets in progress. */
  get appIds(): string[] {
    return [...new Set([...this.taken.keys()].map(({ appId }) => appId))];
  }

  /** Ends those that the test chooses. */
  end(isOver: (slot: Slot) => boolean): void {
    for (const [slot, controller] of [...this.taken]) if (isOver(slot)) controller.abort();
  }
}

const busy = (message: string) => new AppError('SERVER_BUSY', { message });

import type { Bus, ControlMessage } from './bus.ts';

/** Nodes that do not confirm in this time find out by themselves (contract §13, Delivery). */
const confirmMs = 2000;

type Handlers = { [M in ControlMessage as M['kind']]?: (message: M) => void | Promise<void> };

/**
 * Control messages that take effect on all nodes before `send` returns: what to drop from caches, whom to evict. They
 * arrive in order, so related ones are sent at once and awaited together: cache drops first, then evictions, so that
 * nobody evicted can get back in by a stale cache.
 */
export class Control {
  private readonly bus: Bus;
  private handlers: Handlers = {};

  constructor(bus: Bus) {
    this.bus = bus;
    bus.onControl((message) => this.act(message));
  }

  handle(handlers: Handlers): void {
    this.handlers = { ...this.handlers, ...handlers };
  }

  /** Acts here and on all other nodes; returns when each has done so, or after 2 s. */
  async send(message: ControlMessage): Promise<void> {
    await Promise.all([this.act(message), this.bus.control(message, confirmMs)]);
  }

  private async act(message: ControlMessage): Promise<void> {
    switch (message.kind) {
      case 'drop':
        return this.handlers.drop?.(message);
      case 'evict':
        return this.handlers.evict?.(message);
      case 'recheck':
        return this.handlers.recheck?.(message);
      case 'dissolve':
        return this.handlers.dissolve?.(message);
      case 'disconnect':
        return this.handlers.disconnect?.(message);
      case 'hearing':
        return this.handlers.hearing?.(message);
      case 'choices':
        return this.handlers.choices?.(message);
      case 'webhook':
        return this.handlers.webhook?.(message);
      case 'mcp':
        return this.handlers.mcp?.(message);
      case 'vitals-ask':
        return this.handlers['vitals-ask']?.(message);
      case 'vitals-told':
        return this.handlers['vitals-told']?.(message);
      case 'hand-over':
        return this.handlers['hand-over']?.(message);
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { LogEntry } from '../../../cluster/entry.ts';
import { streamId } from '../../../contract/rooms.ts';
import { jittered } from '../../../infrastructure/jitter.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Context } from '../../context.ts';
import type { Claim, WebhookCursors } from './cursor.table.ts';
import type { StopSignals, WebhookDeliverer } from './webhook.deliverer.ts';

/** Between two rounds, so that simultaneous events are delivered with few queries. */
const pauseMs = 20;
/** How often a node picks up the changes that other nodes made to the audience. */
const refreshMs = 5000;
/** How often all cursors are adjusted to the rooms of bots, besides those with a known change. */
const followMs = 60_000;
/** How often a lease is renewed before it would expire: some renewals may fail. */
const renewalsPerLease = 5;

interface Deps extends Pick<Context, 'delivery' | 'settings' | 'log'> {
  cursors: WebhookCursors;
  deliverer: WebhookDeliverer;
}

/**
 * Feeds the webhooks of bots. A commit on this node wakes it if a webhook subscribes to that room; a poll once a second
 * finds what other nodes left behind. This is all that sending a message costs for webhooks.
 */
export class WebhookDispatcher {
  private readonly deps: Deps;
  private readonly settings: Settings['webhooks'];
  /** The agents whose webhooks subscribe to a room, by the id of its stream. */
  private audience = new Map<string, string[]>();
  private woken = new Set<string>();
  private readonly running = new Map<Claim, Promise<void>>();
  private readonly signals: StopSignals = { closing: new AbortController(), leaving: new AbortController() };
  /** Agents that may have joined or left rooms. */
  private moved = new Set<string>();
  private followAt = 0;
  private refreshAt = 0;
  private pollAt = 0;
  private renewal: NodeJS.Timeout | undefined;
  private wakeUp = () => {};
  private loop: Promise<void> = Promise.resolve();

  constructor(deps: Deps) {
    this.deps = deps;
    this.settings = deps.settings.webhooks;
  }

  /** For the operator: the outcomes of this node's requests, and how many are in progress. */
  get counters(): { delivered: number; failed: number; underWay: number } {
    return { ...this.deps.deliverer.counters, underWay: this.running.size };
  }

  start(): void {
    this.deps.delivery.onCommitted = (entries) => this.hear(entries);
    this.loop = this.run();
    this.renewal = setInterval(() => void this.renew(), (this.settings.leaseSeconds * 1000) / renewalsPerLease);
  }

  /** An agent's webhook was changed or removed. */
  changed(agentId: string): void {
    this.moved.add(agentId);
    this.woken.add(agentId);
    this.wakeUp();
  }

  /** Ends once the requests in progress are done, after `graceMs` at most; other nodes continue from there. */
  async close(graceMs: number): Promise<void> {
    this.signals.closing.abort();
    const limit = setTimeout(() => this.signals.leaving.abort(), graceMs);
    this.wakeUp();
    await this.loop;
    await Promise.all(this.running.values());
    clearTimeout(limit);
    clearInterval(this.renewal);
  }

  private hear(entries: LogEntry[]): void {
    if (this.audience.size === 0) return;
    for (const { room } of entries) {
      const agents = this.audience.get(streamId(room));
      if (!agents) continue;
      for (const agentId of agents) {
        this.woken.add(agentId);
        // An event for the bot itself may mean that it joined or left a room.
        if (room.startsWith('user:')) this.moved.add(agentId);
      }
      this.wakeUp();
    }
  }

  private async run(): Promise<void> {
    while (!this.signals.closing.signal.aborted) {
      try {
        await this.dispatch();
        await this.rest();
      } catch (error) {
        this.deps.log.debug({ err: error }, 'Webhooks could not be looked up just now.');
        // The moved and woken agents may be lost: adjust and poll all of them.
        this.followAt = 0;
        this.pollAt = 0;
        await delay(this.settings.pollMs);
      }
    }
  }

  /** Waits until the next poll is due or something wakes it. */
  private async rest(): Promise<void> {
    const signal = this.signals.closing.signal;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(this.pollAt - performance.now(), 0));
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.woken.size > 0 || signal.aborted) this.wakeUp();
    });
    if (!signal.aborted) await delay(pauseMs);
  }

  private async dispatch(): Promise<void> {
    await this.follow();
    const total = this.settings.concurrency - this.running.size;
    if (total <= 0) return;
    if (performance.now() >= this.pollAt) {
      this.pollAt = performance.now() + this.settings.pollMs;
      for (const agentId of await this.deps.cursors.due()) this.woken.add(agentId);
    }
    const free = this.free([...this.woken]);
    this.woken = new Set();
    if (free.size === 0) return;
    const claims = await this.deps.cursors.claim(free, total);
    for (const claim of claims) this.begin(claim);
    // There may be more than could be claimed.
    if (claims.length === total) for (const agentId of free.keys()) this.woken.add(agentId);
  }

  private async follow(): Promise<void> {
    const now = performance.now();
    const all = now >= this.followAt;
    const moved = this.moved;
    if (all) this.followAt = now + jittered(followMs);
    this.moved = new Set();
    if (all || moved.size > 0) await this.deps.cursors.follow(all ? null : [...moved]);
    else if (now < this.refreshAt) return;
    this.refreshAt = now + refreshMs;
    this.audience = await this.deps.cursors.audience();
    // Channels that a bot joined before its own room was in the audience went unnoticed.
    if (moved.size > 0) await this.deps.cursors.follow([...moved]);
  }

  /** How many more rooms of each agent may be in progress here; one at its limit wakes this when a room is done. */
  private free(agentIds: string[]): Map<string, number> {
    const free = new Map(agentIds.map((agentId) => [agentId, this.settings.perWebhook]));
    for (const { agentId } of this.running.keys()) {
      const rooms = free.get(agentId);
      if (rooms === 1) free.delete(agentId);
      else if (rooms) free.set(agentId, rooms - 1);
    }
    return free;
  }

  /** A receiver may take longer than a lease, which is short so that others take over soon when this node dies. */
  private async renew(): Promise<void> {
    if (this.running.size === 0) return;
    await this.deps.cursors
      .renew([...this.running.keys()])
      .catch((error) => this.deps.log.debug({ err: error }, 'Leases of webhooks could not be renewed just now.'));
  }

  private begin(claim: Claim): void {
    const work = this.deps.deliverer
      .deliver(claim, this.signals)
      .catch((error) => this.putOff(claim, error))
      .finally(() => {
        this.running.delete(claim);
        this.woken.add(claim.agentId);
        this.wakeUp();
      });
    this.running.set(claim, work);
  }

  /** The failure is not the receiver's. If this fails too, the lease expires by itself. */
  private async putOff(claim: Claim, error: unknown): Promise<void> {
    this.deps.log.warn({ err: error, agentId: claim.agentId }, 'Events could not be delivered to a webhook.');
    await this.deps.cursors.putOff(claim, 'Something went wrong on our side.', this.settings.retryMs).catch(() => {});
  }
}

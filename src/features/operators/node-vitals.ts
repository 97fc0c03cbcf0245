import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Vitals, vitalSeconds } from '../../contract/vitals.ts';
import type { DeliveryCounters } from '../../delivery/counters.ts';
import { clock } from '../../infrastructure/clock.ts';

/** Durations are counted in steps, each so many times the one before: p95 is exact to that. */
const growth = 1.1;
const firstStepMs = 0.2;
const steps = 160;
/** How often the event loop is looked at: more often costs an idle node CPU. */
const lookMs = 50;
const mostPoints = vitalSeconds.kept / vitalSeconds.every;

/** Counts durations, to say how long all but the slowest took. */
export class Durations {
  private readonly counts = new Array<number>(steps).fill(0);
  count = 0;

  add(ms: number): void {
    const step = Math.ceil(Math.log(Math.max(ms, firstStepMs) / firstStepMs) / Math.log(growth));
    const at = Math.min(step, steps - 1);
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.count++;
  }

  /** @returns how long such a share of them took at most; 0: there are none */
  within(share: number): number {
    let left = Math.ceil(this.count * share);
    if (left === 0) return 0;
    const step = this.counts.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return firstStepMs * growth ** step;
  }
}

/** What this node measures of itself every few seconds, and remembers for a quarter of an hour (contract §3, Operators). */
export class NodeVitals {
  private readonly counters: DeliveryCounters;
  private readonly points: Vitals[] = [];
  private requests = new Durations();
  private faults = 0;
  private sockets = () => 0;
  private loop: ReturnType<typeof monitorEventLoopDelay> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private before = { at: performance.now(), cpu: process.cpuUsage(), sends: 0, failedSends: 0 };

  constructor(counters: DeliveryCounters) {
    this.counters = counters;
  }

  /** @param sockets how many are connected here */
  start(sockets: () => number): void {
    this.sockets = sockets;
    this.loop = monitorEventLoopDelay({ resolution: lookMs });
    this.loop.enable();
    this.timer = setInterval(() => this.measure(), vitalSeconds.every * 1000).unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.loop?.disable();
  }

  /** A request was answered. */
  request(ms: number, status: number): void {
    this.requests.add(ms);
    if (status >= 500) this.faults++;
  }

  get latest(): Vitals | null {
    return this.points.at(-1) ?? null;
  }

  /** What was measured after a time (ms since 1970). */
  after(time: number): Vitals[] {
    return this.points.filter(({ at }) => at > time);
  }

  private measure(): void {
    const counters = this.counters;
    const before = this.before;
    const requests = this.requests;
    const now = performance.now();
    const seconds = Math.max((now - before.at) / 1000, 0.001);
    const { user, system } = process.cpuUsage(before.cpu);
    const failed = this.faults + counters.failedSends - before.failedSends;
    this.points.push({
      at: Math.round(clock.now()),
      sockets: this.sockets(),
      messagesPerSecond: rounded((counters.batchedSends - before.sends) / seconds),
      requestsPerSecond: rounded(requests.count / seconds),
      requestP95Ms: rounded(requests.within(0.95)),
      errorsPerMinute: rounded((failed * 60) / seconds),
      eventLoopMs: rounded(Math.max(0, (this.loop?.percentile(99) ?? 0) / 1e6 - lookMs)),
      lagEvents: counters.lag,
      memoryBytes: process.memoryUsage.rss(),
      cpuPercent: rounded((user + system) / seconds / 10_000),
    });
    if (this.points.length > mostPoints) this.points.shift();
    this.requests = new Durations();
    this.faults = 0;
    this.loop?.reset();
    const { batchedSends: sends, failedSends } = counters;
    this.before = { at: now, cpu: process.cpuUsage(), sends, failedSends };
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

import type { Context, Next } from 'koa';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { bearerToken } from './bearer.ts';
import { equalInConstantTime } from './constant-time.ts';
import { matchedRoute } from './matched-route.ts';

type Observe = (seconds: number) => void;

const localAddress = /^(127\.|::1$|::ffff:127\.)/;

/** How often the event loop is sampled. The default, every 10 ms, took a third of an idle node's CPU. */
const lagPrecisionMs = 50;

/** A node's metrics at `/metrics`, in the Prometheus format. Labels take few values only. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly token: string | null;
  private collect = () => this.registry.metrics();
  private readonly requests: Histogram<'method' | 'route' | 'status'>;
  /** By method, route and status, which take few values. */
  private readonly timers = new Map<string, Observe>();
  /** Called for each request that did not wait for events. */
  onRequest: (ms: number, status: number) => void = () => {};

  /** @param token required as a bearer token; null: only requests from this machine are answered */
  constructor(token: string | null) {
    this.token = token;
    collectDefaultMetrics({ register: this.registry, prefix: 'parley_', eventLoopMonitoringPrecision: lagPrecisionMs });
    this.requests = new Histogram({
      name: 'parley_http_request_seconds',
      help: 'Time to answer a request, by route.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30],
      registers: [this.registry],
    });
  }

  /** Serves the metrics from `share` instead of this node's own: those of all nodes behind one port. */
  showTogether(share: (own: Registry) => () => Promise<string>): void {
    this.collect = share(this.registry);
  }

  /** A counter that is maintained elsewhere. */
  counter(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      name: `parley_${name}_total`,
      help,
      registers: [this.registry],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** A gauge that is read on request. */
  gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name: `parley_${name}`,
      help,
      registers: [this.registry],
      collect: () => gauge.set(read()),
    });
  }

  /** A gauge that all nodes read the same, so that those behind one port do not add it up. */
  sharedGauge(name: string, help: string, read: () => Promise<number>): void {
    const gauge: Gauge = new Gauge({
      name: `parley_${name}`,
      help,
      aggregator: 'max',
      registers: [this.registry],
      collect: async () => gauge.set(await read()),
    });
  }

  /** A counter for each value of a label, maintained elsewhere. */
  countersBy(label: string, name: string, help: string, read: () => [value: string, count: number][]): void {
    const counter: Counter = new Counter({
      name: `parley_${name}_total`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: () => {
        counter.reset();
        for (const [value, count] of read()) counter.inc({ [label]: value }, count);
      },
    });
  }

  /**
   * A gauge for each value of a label, read on request.
   * @param aggregator `max` where all nodes read the same, so that those behind one port do not add it up
   */
  gaugesBy(
    label: string,
    { name, help, aggregator }: { name: string; help: string; aggregator: 'sum' | 'max' },
    read: () => Promise<[value: string, amount: number][]>,
  ): void {
    const gauge: Gauge = new Gauge({
      name: `parley_${name}`,
      help,
      labelNames: [label],
      aggregator,
      registers: [this.registry],
      collect: async () => {
        const values = await read();
        gauge.reset();
        for (const [value, amount] of values) gauge.set({ [label]: value }, amount);
      },
    });
  }

  /** A histogram that the caller feeds. */
  histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram {
    return new Histogram({ name: `parley_${name}`, help, buckets, labelNames, registers: [this.registry] });
  }

  /** Times all requests, and serves `/metrics` to authorized readers. */
  readonly middleware = async (context: Context, next: Next): Promise<void> => {
    if (context.path === '/metrics' && this.allows(context)) {
      context.type = this.registry.contentType;
      context.body = await this.collect();
      return;
    }
    const started = performance.now();
    try {
      await next();
    } finally {
      const ms = performance.now() - started;
      this.timer(context)(ms / 1000);
      if (context.query.wait === undefined) this.onRequest(ms, context.status);
    }
  };

  private timer(context: Context): Observe {
    const route = matchedRoute(context);
    const status = `${Math.floor(context.status / 100)}xx`;
    const name = `${context.method} ${route} ${status}`;
    const known = this.timers.get(name);
    if (known) return known;
    const { observe } = this.requests.labels({ method: context.method, route, status });
    this.timers.set(name, observe);
    return observe;
  }

  private allows(context: Context): boolean {
    if (this.token === null) {
      return localAddress.test(context.req.socket.remoteAddress ?? '') && !context.get('x-forwarded-for');
    }
    return equalInConstantTime(bearerToken(context.headers.authorization) ?? '', this.token);
  }
}

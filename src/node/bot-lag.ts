import type { AgentsServices } from '../features/agents/agents.module.ts';
import type { Metrics } from '../infrastructure/metrics.ts';
import { within } from '../infrastructure/within.ts';

/** A scrape does not wait longer for PostgreSQL. */
const lookMs = 1000;

/** Metrics of how far bots are behind, the same on all nodes: by webhooks that work, and by polls of the last hour. */
export function watchBotLag(metrics: Metrics, lagOfAll: AgentsServices['botLag']): void {
  let asked: ReturnType<typeof lagOfAll> | undefined;
  const none = { events: 0, seconds: 0 };
  let known: Awaited<ReturnType<typeof lagOfAll>> = { webhook: none, poll: none };
  const lag = async () => {
    // One look for all gauges of a scrape.
    asked ??= lagOfAll().finally(() => setImmediate(() => (asked = undefined)));
    const current = asked;
    if (await within(current, lookMs)) known = await current;
    return known;
  };
  const gauge = (name: string, help: string, read: (one: typeof none) => number) =>
    metrics.gaugesBy('way', { name, help, aggregator: 'max' }, async () =>
      Object.entries(await lag()).map(([way, one]): [string, number] => [way, read(one)]),
    );
  gauge(
    'bot_lag_events',
    'Events that bots have not dealt with yet, also those that are not for them.',
    (one) => one.events,
  );
  gauge(
    'bot_lag_seconds',
    'How long ago the oldest of them happened, in the rooms furthest behind.',
    (one) => one.seconds,
  );
}

import type { WebhookDispatcher } from '../agents/webhooks/webhook.dispatcher.ts';
import type { Database } from '../database/database.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Metrics } from '../infrastructure/metrics.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';

/** What is to be seen of the log and its way to the sockets (contract §10). */
export function watchDelivery(metrics: Metrics, delivery: Delivery, queuedSends: () => number): void {
  const { counters } = delivery;
  metrics.counter('events_delivered', 'Events given out to rooms of this node.', () => counters.events);
  metrics.counter(
    'gap_repairs',
    'Holes before an early event that were filled from the log.',
    () => counters.gapRepairs,
  );
  metrics.counter('sweeps', 'Times the log was asked for what had been missed.', () => counters.sweeps);
  metrics.counter('sweeps_failed', 'Sweeps that could not read the log.', () => counters.failedSweeps);
  metrics.counter('rooms_swept', 'Rooms that a sweep found behind.', () => counters.swept);
  metrics.counter('replays', 'Pages of missed events given to those who came back.', () => counters.replays);
  metrics.counter('events_replayed', 'Missed events given to those who came back.', () => counters.replayedEvents);
  metrics.counter('unrecoverable', 'Times someone had to read the lists anew.', () => counters.unrecoverable);
  metrics.counter('cut_offs', 'Sockets cut off because they read too slowly.', () => counters.cutOffs);
  metrics.counter('write_batches', 'Transactions of the writer.', () => counters.batches);
  metrics.counter('batched_sends', 'Sends committed by the writer.', () => counters.batchedSends);
  metrics.counter('log_entries_trimmed', 'Log entries trimmed by this node.', () => counters.trimmed);
  metrics.gauge('queued_sends', 'Sends that wait for the writer.', queuedSends);
  metrics.gauge('open_rooms', 'Rooms that this node follows.', () => delivery.openStreams);
  metrics.gauge('log_lag_events', 'Events that the last sweep found committed but not given out.', () => counters.lag);
  const sizes = metrics.histogram(
    'write_batch_size',
    'Sends in one transaction of the writer.',
    [1, 2, 5, 10, 25, 50, 100, 200],
  );
  counters.onBatch = (size) => sizes.observe(size);
}

/** What is to be seen of the deliveries to webhooks. */
export function watchWebhooks(metrics: Metrics, webhooks: Pick<WebhookDispatcher, 'counters'>): void {
  metrics.counter('webhooks_delivered', 'Events taken by webhooks.', () => webhooks.counters.delivered);
  metrics.counter('webhooks_failed', 'Tries to deliver an event that failed.', () => webhooks.counters.failed);
  metrics.gauge('webhooks_under_way', 'Rooms that are being delivered.', () => webhooks.counters.underWay);
}

/** What is to be seen of everything that a node is connected to. */
export function watchConnections(
  metrics: Metrics,
  gateway: Gateway,
  database: Database,
  redis: RedisConnections | null,
): void {
  metrics.gauge('sockets', 'Connected sockets.', () => gateway.io.of('/').sockets.size);
  const { pool, statements } = database;
  const waiting = () => pool.waitingCount + statements.waitingCount;
  metrics.gauge('database_connections', 'Connections to PostgreSQL.', () => pool.totalCount + statements.totalCount);
  metrics.gauge('database_waiting', 'Those who wait for a connection to PostgreSQL.', waiting);
  metrics.gauge('redis_reachable', '1 while Redis answers, or is not used.', () => (redis && !redis.healthy ? 0 : 1));
}

import { errorCodes } from '../contract/error-codes.ts';
import type { Database } from '../database/database.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { WebhookDispatcher } from '../features/agents/webhooks/webhook.dispatcher.ts';
import type { BlobsServices } from '../features/blobs/blobs.module.ts';
import type { InstallationStorage } from '../features/blobs/storage.service.ts';
import type { ScheduledSender } from '../features/later/scheduled.sender.ts';
import type { PicturesServices } from '../features/pictures/pictures.module.ts';
import type { PreviewsServices } from '../features/previews/previews.module.ts';
import type { PushWork } from '../features/push/push.work.ts';
import type { Indexer } from '../features/search/indexer.ts';
import type { SocketServices } from '../gateway/dispatch.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Metrics } from '../infrastructure/metrics.ts';
import type { RateLimits } from '../infrastructure/rate-limits.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';
import type { Tracing } from '../infrastructure/tracing.ts';
import { within } from '../infrastructure/within.ts';
import type { JobSummary } from '../jobs/job.table.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** A scrape does not wait longer for PostgreSQL. */
const summaryMs = 1000;

/** Metrics of the log and its delivery to the sockets (contract §10). */
export function watchDelivery(metrics: Metrics, delivery: Delivery, queuedSends: () => number): void {
  const { counters } = delivery;
  metrics.counter('events_delivered', 'Events emitted to rooms of this node.', () => counters.events);
  metrics.counter(
    'gap_repairs',
    'Gaps before an early event that were filled from the log.',
    () => counters.gapRepairs,
  );
  metrics.counter('sweeps', 'Times the log was read for missed events.', () => counters.sweeps);
  metrics.counter('sweeps_failed', 'Sweeps that could not read the log.', () => counters.failedSweeps);
  metrics.counter('rooms_swept', 'Rooms that a sweep found behind.', () => counters.swept);
  metrics.counter('replays', 'Pages of missed events sent to returning clients.', () => counters.replays);
  metrics.counter('events_replayed', 'Missed events sent to returning clients.', () => counters.replayedEvents);
  metrics.counter('unrecoverable', 'Times a client had to reread its lists.', () => counters.unrecoverable);
  metrics.counter('cut_offs', 'Sockets cut off because they read too slowly.', () => counters.cutOffs);
  metrics.counter('write_batches', 'Transactions of the writer.', () => counters.batches);
  metrics.counter('batched_sends', 'Sends committed by the writer.', () => counters.batchedSends);
  metrics.counter('log_entries_trimmed', 'Log entries trimmed by this node.', () => counters.trimmed);
  metrics.gauge('log_partitions', 'Partitions of the log, without the default one.', () => counters.logPartitions);
  metrics.gauge('log_default_filled', '1 while entries of the log are in no partition that has bounds.', () =>
    counters.isLogUnbounded ? 1 : 0,
  );
  metrics.counter(
    'log_partitions_dropped',
    'Partitions of the log dropped by this node.',
    () => counters.droppedPartitions,
  );
  metrics.gauge('queued_sends', 'Sends that wait for the writer.', queuedSends);
  metrics.gauge('open_rooms', 'Rooms that this node follows.', () => delivery.openStreams);
  metrics.gauge('waiting_polls', 'Long polls that wait for something new.', () => counters.waitingPolls);
  metrics.gauge('waiting_changes', 'Changes that wait for others at the log of a room.', () => counters.waitingChanges);
  metrics.gauge('log_lag_events', 'Events that the last sweep found committed but not emitted.', () => counters.lag);
  const sizes = metrics.histogram(
    'write_batch_size',
    'Sends in one transaction of the writer.',
    [1, 2, 5, 10, 25, 50, 100, 200],
  );
  counters.onBatch = (size) => sizes.observe(size);
  const sends = metrics.histogram(
    'send_seconds',
    'Time between the arrival of a send and its commit.',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );
  counters.onSend = (ms) => sends.observe(ms / 1000);
  metrics.counter('sends_failed', 'Sends that were not committed.', () => counters.failedSends);
  const fanOut = metrics.histogram(
    'fan_out_sockets',
    'Sockets of this node to which events of a room were written at once.',
    [1, 2, 5, 10, 50, 100, 500, 1000, 5000],
  );
  let written = 0;
  counters.onFanOut = (events, sockets) => {
    fanOut.observe(sockets);
    written += events * sockets;
  };
  metrics.counter('deliveries', 'Events written to sockets, one for each of them.', () => written);
}

/** Metrics of webhook deliveries. */
export function watchWebhooks(metrics: Metrics, webhooks: Pick<WebhookDispatcher, 'counters'>): void {
  metrics.counter('webhooks_delivered', 'Events accepted by webhooks.', () => webhooks.counters.delivered);
  metrics.counter('webhooks_failed', 'Failed attempts to deliver an event.', () => webhooks.counters.failed);
  metrics.gauge('webhooks_under_way', 'Rooms that are being delivered.', () => webhooks.counters.underWay);
}

export function watchScheduled(metrics: Metrics, { counters }: Pick<ScheduledSender, 'counters'>): void {
  metrics.countersBy(
    'outcome',
    'scheduled_messages',
    'Scheduled messages that were due, by what became of them; those that slow mode or the limit of messages slowed wait and come again.',
    () => Object.entries(counters),
  );
}

export function watchPushes(metrics: Metrics, { counters }: Pick<PushWork, 'counters'>): void {
  metrics.countersBy(
    'outcome',
    'pushes',
    'Pushes by what became of them: sent, dropped (read, not wanted now, or at a device), failed, closed (took earlier ones back), and gone (the subscription was over).',
    () => Object.entries(counters),
  );
}

/** Metrics of pictures: those encoded anew here, and those from elsewhere. */
export function watchPictures(metrics: Metrics, { encoder, outside }: PicturesServices['pictureWork']): void {
  const { counters } = encoder;
  metrics.counter('pictures_encoded', 'Pictures that were encoded anew.', () => counters.encoded);
  metrics.counter('pictures_refused', 'Files that were no usable pictures.', () => counters.refused);
  metrics.counter('pictures_killed', 'Pictures that broke their decoder, or took too long.', () => counters.killed);
  metrics.counter('picture_seconds', 'Time of decoding and encoding pictures.', () => counters.ms / 1000);
  metrics.gauge('pictures_waiting', 'Pictures that wait to be encoded.', () => encoder.waiting);
  metrics.counter('outside_picture_hits', 'Pictures from elsewhere that were known.', () => outside.hits);
  metrics.counter('outside_pictures_fetched', 'Pictures fetched from elsewhere.', () => outside.fetched);
  metrics.counter(
    'outside_pictures_failed',
    'Pictures that could not be fetched from elsewhere.',
    () => outside.failed,
  );
}

/** Metrics of link previews. */
export function watchPreviews(metrics: Metrics, counters: PreviewsServices['previewCounters']): void {
  metrics.countersBy(
    'outcome',
    'link_previews',
    'Links in messages, by what became of their previews: known already (hits), found, empty pages, failed, refused as unsafe.',
    () => Object.entries(counters),
  );
}

/** Metrics of what is stored, and of what there was no room for. */
export function watchStorage(
  metrics: Metrics,
  { storage, allowance }: Pick<BlobsServices, 'storage' | 'allowance'>,
): void {
  let known: InstallationStorage = { usedBytes: 0, quotaBytes: null, isCounting: false };
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.sharedGauge(name, help, async () => {
      const asked = storage.ofInstallation();
      if (await within(asked, summaryMs)) known = await asked;
      return read();
    });
  gauge('storage_bytes', 'Bytes of all that is stored, each content once.', () => known.usedBytes);
  gauge('storage_quota_bytes', 'How many there may be; 0: there is no bound.', () => known.quotaBytes ?? 0);
  gauge('storage_counting', '1 while older files are not counted yet.', () => Number(known.isCounting));
  metrics.countersBy('quota', 'storage_refused', 'Times there was no room, by whose quota was full.', () => [
    ...allowance.refused,
  ]);
}

/** Metrics of the index of the search. */
export function watchSearch(metrics: Metrics, indexer: Pick<Indexer, 'counters' | 'lagSeconds'>): void {
  const { counters } = indexer;
  metrics.counter('search_indexed', 'Messages whose words were written to the index.', () => counters.indexed);
  metrics.counter('search_failures', 'Times that indexing failed; it is tried again.', () => counters.failed);
  let known = 0;
  metrics.sharedGauge(
    'search_lag_seconds',
    'How long ago the oldest message was sent that is not indexed yet.',
    async () => {
      const lag = indexer.lagSeconds();
      if (await within(lag, summaryMs)) known = await lag;
      return known;
    },
  );
}

/** Metrics of the queue of jobs, by kind. What waits and what is dead is the same on all nodes. */
export function watchJobs(metrics: Metrics, jobs: Jobs): void {
  const counted = (read: (counters: Jobs['counters'][number][1]) => number) => () =>
    jobs.counters.map(([kind, counters]): [string, number] => [kind, read(counters)]);
  metrics.countersBy(
    'kind',
    'jobs_done',
    'Jobs that this node has done.',
    counted(({ done }) => done),
  );
  metrics.countersBy(
    'kind',
    'jobs_failed',
    'Failed attempts of this node.',
    counted(({ failed }) => failed),
  );
  metrics.countersBy(
    'kind',
    'jobs_died',
    'Jobs that this node gave up.',
    counted(({ died }) => died),
  );
  const running = { name: 'jobs_running', help: 'Jobs that this node is doing.', aggregator: 'sum' as const };
  metrics.gaugesBy('kind', running, async () => counted((counters) => counters.running)());
  let asked: Promise<JobSummary[]> | undefined;
  let known: JobSummary[] = [];
  const summary = async () => {
    // One query for all gauges of a scrape.
    asked ??= jobs.summary().finally(() => setImmediate(() => (asked = undefined)));
    const current = asked;
    if (await within(current, summaryMs)) known = await current;
    return known;
  };
  const ofAll = (name: string, help: string, read: (one: JobSummary) => number) =>
    metrics.gaugesBy('kind', { name, help, aggregator: 'max' }, async () => {
      const found = new Map((await summary()).map((one) => [one.kind, read(one)]));
      const kinds = new Set([...jobs.counters.map(([kind]) => kind), ...found.keys()]);
      return [...kinds].map((kind): [string, number] => [kind, found.get(kind) ?? 0]);
    });
  ofAll('jobs_waiting', 'Jobs to be done, now or later.', ({ waiting }) => waiting);
  ofAll('jobs_dead', 'Jobs that were given up; `npm run parley -- jobs` lists them.', ({ dead }) => dead);
  ofAll('jobs_oldest_seconds', 'For how long the oldest job that is due has waited.', (one) => one.oldestSeconds);
}

/** Metrics of the sockets and Redis. */
export function watchConnections(metrics: Metrics, gateway: Gateway, redis: RedisConnections | null): void {
  metrics.gauge('sockets', 'Connected sockets.', () => gateway.io.of('/').sockets.size);
  let connects = 0;
  gateway.onConnection(() => void connects++);
  metrics.counter('socket_connections', 'Sockets that were let in.', () => connects);
  metrics.gauge('redis_reachable', '1 while Redis answers, or is not used.', () => (redis && !redis.healthy ? 0 : 1));
  metrics.gauge('redis_answer_seconds', 'Time of the last answer of Redis.', () => (redis?.answerMs ?? 0) / 1000);
}

/** Metrics of what is refused because it is too much. */
export function watchLimits(metrics: Metrics, { refused }: RateLimits, { counts }: Gateway): void {
  metrics.countersBy('limit', 'rate_limited', 'Times a rate limit was used up (`rates` in config/).', () => [
    ...refused,
  ]);
  metrics.countersBy('limit', 'sockets_refused', 'Sockets refused because their person or address had too many.', () =>
    Object.entries(counts.refused),
  );
}

/** Metrics of the replicas that this node reads from, if any. */
export function watchReplicas(metrics: Metrics, { replicas }: Database): void {
  if (!replicas) return;
  const { targets } = replicas;
  const of = (read: (target: (typeof targets)[number]) => number) => () =>
    targets.map((target): [string, number] => [target.name, read(target)]);
  metrics.countersBy(
    'replica',
    'replica_reads',
    'Reads that a replica has answered.',
    of(({ reads }) => reads),
  );
  metrics.countersBy('reason', 'replica_fallbacks', 'Reads that the primary answered in place of a replica.', () =>
    Object.entries(replicas.fallbacks),
  );
  const gauge = (name: string, help: string, read: (target: (typeof targets)[number]) => number) =>
    metrics.gaugesBy('replica', { name, help, aggregator: 'max' }, async () => of(read)());
  gauge('replica_in_use', '1 while a replica is read from.', ({ isUsable }) => Number(isUsable));
  gauge('replica_lag_bytes', 'How much of the log of PostgreSQL a replica had not replayed.', (one) => one.lagBytes);
  gauge('replica_lag_seconds', 'For how long a replica has not had everything.', ({ lagSeconds }) => lagSeconds);
}

/** Metrics of PostgreSQL as seen from here. */
export function watchDatabase(metrics: Metrics, database: Database): void {
  metrics.gauge('database_connections', 'Connections to PostgreSQL.', () => database.connections.open);
  metrics.gauge('database_idle', 'Idle connections to PostgreSQL.', () => database.connections.idle);
  metrics.gauge(
    'database_waiting',
    'Callers waiting for a connection to PostgreSQL.',
    () => database.connections.waiting,
  );
  const seconds = metrics.histogram(
    'database_statement_seconds',
    'Time of statements, including the round trip.',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  );
  let failed = 0;
  database.watch(() => ({ ms, error }) => {
    seconds.observe(ms / 1000);
    if (error) failed++;
  });
  metrics.counter('database_statements_failed', 'Statements that ended with an error.', () => failed);
}

/** Times and traces the events of clients. */
export function watchEvents(metrics: Metrics, tracing: Tracing): SocketServices['watched'] {
  const seconds = metrics.histogram(
    'socket_event_seconds',
    'Time to handle a client event, by name.',
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    ['event', 'outcome'],
  );
  return (event, handle) =>
    tracing.span({ name: event, kind: 'server' }, async (span) => {
      const started = performance.now();
      const failure = await handle();
      const outcome = failure === null ? 'ok' : errorCodes[failure][0] >= 500 ? 'failed' : 'refused';
      seconds.observe({ event, outcome }, (performance.now() - started) / 1000);
      span.set('parley.outcome', failure ?? 'ok');
      if (outcome === 'failed') span.fail(failure ?? '');
    });
}

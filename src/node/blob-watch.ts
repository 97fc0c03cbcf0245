import type { Metrics } from '../infrastructure/metrics.ts';
import type { StoreMeter } from '../infrastructure/s3/meter.ts';

const buckets = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

/** Metrics of the stores of files. */
export function watchBlobs(metrics: Metrics, meter: StoreMeter): void {
  const help = 'Time of a request to a store of files, by the store, what was asked, and how it ended.';
  const requests = metrics.histogram('blob_store_seconds', help, buckets, ['store', 'operation', 'outcome']);
  meter.tell((store, operation, outcome, seconds) => requests.labels({ store, operation, outcome }).observe(seconds));
  const { database, s3 } = meter.bytes;
  metrics.countersBy('store', 'blob_bytes_written', 'Bytes of files that went into a store.', () => [
    ['database', database.written],
    ['s3', s3.written],
  ]);
  metrics.countersBy('store', 'blob_bytes_read', 'Bytes of files that came out of a store.', () => [
    ['database', database.read],
    ['s3', s3.read],
  ]);
  metrics.gauge('s3_failing', '1 while the last request to S3 failed.', () => (meter.problem === null ? 0 : 1));
}

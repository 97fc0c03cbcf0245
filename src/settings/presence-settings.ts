import { z } from 'zod';
import { milliseconds } from './numbers.ts';

/** What config/*.json may say of presence. */
export const presenceSettings = z.strictObject({
  graceMs: milliseconds.describe('how long someone without a socket still counts as connected'),
  batchMs: milliseconds.describe('how often connects and disconnects are passed on, as one batch'),
  tellMs: milliseconds.describe('how often sockets are told of changes, as one batch'),
  renewMs: milliseconds.describe('how often a node renews its lease'),
  deadAfterMs: milliseconds.describe('after this long without renewal it counts as dead'),
  settleMs: milliseconds.describe('after a Redis outage: how long nodes have to report again who is online'),
});

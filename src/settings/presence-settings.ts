import { z } from 'zod';
import { milliseconds } from './numbers.ts';

/** The settings of presence in config/*.json. */
export const presenceSettings = z.strictObject({
  graceMs: milliseconds.describe('how long someone without a socket still counts as connected'),
  batchMs: milliseconds.describe('how often connects and disconnects are passed on, as one batch'),
  tellMs: milliseconds.describe('how often sockets are told of changes, as one batch'),
  countMs: milliseconds.describe('how often sockets in a large server are told how many are online, at most'),
  renewMs: milliseconds.describe('how often a node renews its lease'),
  deadAfterMs: milliseconds.describe('after this long without renewal it counts as dead'),
  settleMs: milliseconds.describe('after a Redis outage: how long nodes have to report again who is online'),
});

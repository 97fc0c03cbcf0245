import { z } from 'zod';

const positive = z.number().int().positive();

/** What config/*.json may say of presence. */
export const presenceSettings = z.strictObject({
  graceMs: positive.describe('how long someone without a socket still counts as connected'),
  batchMs: positive.describe('how often connects and disconnects are passed on, as one batch'),
  tellMs: positive.describe('how often sockets are told of changes, as one batch'),
  renewMs: positive.describe('how often a node renews its lease'),
  deadAfterMs: positive.describe('after this long without renewal it counts as dead'),
  settleMs: positive.describe('after a Redis outage: how long nodes have to report again who is online'),
});

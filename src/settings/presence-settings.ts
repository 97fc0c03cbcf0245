import { z } from 'zod';

const positive = z.number().int().positive();

/** What config/*.json may say of presence. */
export const presenceSettings = z.strictObject({
  graceMs: positive.describe('how long someone without a socket counts as connected yet'),
  batchMs: positive.describe('how often comings and goings are passed on together'),
  tellMs: positive.describe('how often what changed is told together'),
  renewMs: positive.describe('how often a node says that it lives'),
  deadAfterMs: positive.describe('after which silence it counts as dead'),
  settleMs: positive.describe('after Redis was away: how long all nodes have to say anew who is there'),
});

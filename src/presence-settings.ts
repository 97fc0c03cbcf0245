import { z } from 'zod';

const positive = z.number().int().positive();

/** What config/*.json may say of presence. */
export const presenceSettings = z.strictObject({
  /** How long someone without a socket counts as connected yet. */
  graceMs: positive,
  /** How often comings and goings are passed on together, */
  batchMs: positive,
  /** and how often what changed is told together. */
  tellMs: positive,
  /** How often a node says that it lives, */
  renewMs: positive,
  /** and after which silence it counts as dead. */
  deadAfterMs: positive,
  /** After Redis was away: how long all nodes have to say anew who is there. */
  settleMs: positive,
});

import { z } from 'zod';

export const positive = z.number().int().positive();

/** Longer than any setting needs. Beyond 2^31 ms timers run out at once, again and again. */
const longestMs = 1_000_000_000;

export const milliseconds = positive.max(longestMs, { error: `must be at most ${longestMs}, which is 11 days` });

/** A connection that is dead shows by no ping coming, or no answer: within ten minutes at most. */
const longestPingMs = 300_000;

export const pingMilliseconds = positive.max(longestPingMs, {
  error: `must be at most ${longestPingMs}, which is 5 minutes`,
});

import { z } from 'zod';

export const positive = z.number().int().positive();

/** Longer than any setting needs. Timers beyond 2^31 ms fire at once, again and again. */
const longestMs = 1_000_000_000;

export const milliseconds = positive.max(longestMs, { error: `must be at most ${longestMs}, which is 11 days` });

/** The most older versions of a file that an installation can be set to keep. */
export const mostFileVersions = 500;

import { z } from 'zod';
import { count, formatName, formatVersion, id, label, time } from './part.ts';

export const manifestEntry = 'manifest.json';
export const blobFolder = 'blobs/';

/** The description of an export: `manifest.json`. */
export const manifestSchema = z.object({
  format: z.literal(formatName),
  version: z.literal(formatVersion),
  /** The version of Parley that wrote it. */
  parley: label(64),
  exportedAt: time,
  server: z.object({ id, name: label(100) }),
  /** How many lines each file has, by name; and how many contents there are, as `blobs`. */
  counts: z.record(z.string(), count),
});

export type Manifest = z.output<typeof manifestSchema>;

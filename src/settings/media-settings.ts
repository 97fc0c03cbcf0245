import { z } from 'zod';
import { milliseconds, positive } from './numbers.ts';

/** The settings of pictures in config/*.json. */
export const pictureSettings = z.strictObject({
  maxPixels: positive.describe('pixels of a picture that is decoded, in all frames together'),
  timeoutMs: milliseconds.describe('how long one may take to be decoded and encoded; then its process is ended'),
  waiting: positive.describe('pictures that may wait for it on a node; beyond that 503'),
  graceSeconds: positive.describe('how long an uploaded picture is kept that nothing shows any more'),
  cacheBytes: positive.describe('uploaded pictures that a node keeps in memory'),
  outside: z.strictObject({
    timeoutMs: milliseconds.describe('how long a host elsewhere may take to send a picture'),
    concurrency: positive.describe('concurrent requests of a node for pictures elsewhere'),
    cacheBytes: positive.describe('pictures from elsewhere that a node keeps in memory'),
    cacheSeconds: positive.describe('how long they are kept, there and by browsers'),
  }),
});

export const previewPlaces = ['all', 'servers', 'off'] as const;

/** The settings of link previews in config/*.json. */
export const previewSettings = z.strictObject({
  where: z.enum(previewPlaces).describe('which messages get link previews, unless `LINK_PREVIEWS` says it'),
  timeoutMs: milliseconds.max(30_000).describe('how long a page may take, with all its redirects'),
  maxBytes: positive.describe('how much of a page is read at most, to find what it says of itself'),
  concurrency: positive.describe('pages that a node fetches at once'),
  keepSeconds: positive.describe('how long what was found of a page is used for other messages'),
  failedSeconds: positive.describe(
    'how long a page that could not be fetched, or has nothing to show, is not asked again',
  ),
});

import { z } from 'zod';
import { record } from './schema.ts';

/** How many links of a message get a preview. */
export const maxPreviews = 5;
/** Longer addresses get none. */
export const maxLinkAddress = 2048;

export const linkPreviewSchema = record('LinkPreview', {
  url: z.string().describe('The address of the page, without its fragment.'),
  siteName: z.string().nullable().describe('At most 100 characters; so the page calls its site.'),
  title: z.string().nullable().describe('At most 300 characters.'),
  description: z.string().nullable().describe('At most 500 characters.'),
  imageUrl: z
    .string()
    .nullable()
    .describe(
      'A picture elsewhere. Show it by `POST /api/media/outside-links`: else its host learns who looks at the message.',
    ),
  isLarge: z.boolean().describe('Whether the page wants its picture to be shown large.'),
});

/** What a page says of itself. */
export type LinkPreview = z.output<typeof linkPreviewSchema>;

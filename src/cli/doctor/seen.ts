import { z } from 'zod';

/** How long a request through the public URL may take. */
export const answerMs = 5000;
/** An address for documents (RFC 5737): nobody has it, so it is in no header but by us. */
export const forgedAddress = '203.0.113.77';

/** What a node tells of a request. */
export const seenSchema = z.object({
  nodeId: z.string(),
  version: z.string(),
  trustProxy: z.number(),
  time: z.number(),
  forwardedFor: z.string(),
  address: z.string(),
  host: z.string(),
  protocol: z.string(),
});

export type Seen = z.infer<typeof seenSchema>;

import { z } from 'zod';
import { idSchema, record, timeSchema } from './schema.ts';

/** The summary of a thread on the message that it starts from. */
export const threadSummarySchema = record('ThreadSummary', {
  id: idSchema,
  name: z.string(),
  messageCount: z.number().int(),
  lastMessageAt: timeSchema.nullable(),
});

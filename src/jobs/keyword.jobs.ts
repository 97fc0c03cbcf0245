import { z } from 'zod';
import { idSchema } from '../contract/schema.ts';
import type { JobKind } from './job.kind.ts';

/** A message with words that someone has among their own; people up to an id have been notified. */
export interface KeywordJob {
  messageId: string;
  after: string | null;
  /** How many have been notified. */
  told: number;
}

export const keywordKind: JobKind<KeywordJob> = {
  name: 'message-keywords',
  schema: z.object({ messageId: idSchema, after: idSchema.nullable(), told: z.number().int() }),
};

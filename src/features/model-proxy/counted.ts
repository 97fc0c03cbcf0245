import { z } from 'zod';
import type { Counted } from './model.table.ts';

const countsSchema = z.object({
  usage: z.object({ prompt_tokens: z.number().default(0), completion_tokens: z.number().default(0) }),
});

/** Of a call that reports none. */
export const nothing: Counted = { promptTokens: 0, completionTokens: 0 };

/** The usage that a response reports; undefined when it reports none. */
export function countedIn(answer: unknown): Counted | undefined {
  const found = countsSchema.safeParse(answer);
  if (!found.success) return undefined;
  const { prompt_tokens, completion_tokens } = found.data.usage;
  return {
    promptTokens: Math.max(0, Math.trunc(prompt_tokens)),
    completionTokens: Math.max(0, Math.trunc(completion_tokens)),
  };
}

import { z } from 'zod';
import { idSchema } from '../contract/schema.ts';
import type { JobKind } from './job.kind.ts';

/** Looks at what someone missed, and mails it once it is time to. Its key is their id. */
export const digestKind: JobKind<{ userId: string }> = {
  name: 'digest',
  schema: z.object({ userId: idSchema }),
};

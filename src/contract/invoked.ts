import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { attachmentSchema } from './attachment.ts';
import { idSchema } from './schema.ts';

const channelSchema = z.object({ id: idSchema, name: z.string(), type: z.string() });

/** What the ids among the values of a command stand for, as it was when it was invoked. */
const resolvedSchema = z.object({
  users: z.record(idSchema, smallUserSchema),
  channels: z.record(idSchema, channelSchema),
  files: z.record(idSchema, attachmentSchema).describe('The bot may read them for 7 days.'),
});
export type Resolved = z.output<typeof resolvedSchema>;

/** What was invoked (contract §4, Commands), where the `kind` of an interaction is `command`; its options are in `values`. */
export const invokedSchema = z.object({
  name: z.string(),
  resolved: resolvedSchema.describe('What the ids in `values` stand for.'),
});
export type Invoked = z.output<typeof invokedSchema>;

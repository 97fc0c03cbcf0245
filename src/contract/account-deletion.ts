import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls } from './call.ts';
import { offerErrors } from './handover.ts';
import { doneSchema, idSchema, record, timeSchema, withDefault } from './schema.ts';

/** How many servers, and how many agents, may be offered to others at once. */
const mostOffered = 200;

const offeredSchema = withDefault(
  z.array(z.object({ id: idSchema, to: idSchema.describe('Id of the user to offer it to.') })).max(mostOffered),
  [],
);

export const deleteAccountSchema = z.object({
  messages: withDefault(z.enum(['keep', 'erase']), 'keep').describe(
    '`keep`: what you wrote stays, by a deleted user; `erase`: it is deleted too, with its files.',
  ),
  servers: offeredSchema.describe('Servers of yours to hand over, as by `POST /api/handovers`.'),
  agents: offeredSchema.describe('The same for agents.'),
});

/** What becomes of a server or an agent whose owner deletes their account. */
const possessionSchema = record('Possession', {
  id: idSchema,
  name: z.string(),
  goes: z
    .enum(['deleted', 'offered'])
    .describe('`offered`: to the one who accepts it until then; if nobody does, it is deleted with the account.'),
  to: smallUserSchema.optional().describe('Who may accept it.'),
});

export const deletionSchema = doneSchema.extend({
  deletesAt: timeSchema.describe('Sign in before, in any way, to keep the account.'),
  messages: z.enum(['keep', 'erase']),
  servers: z.array(possessionSchema),
  agents: z.array(possessionSchema),
});

export const accountDeletionCalls = calls('Accounts', {
  deleteMe: {
    method: 'DELETE',
    path: '/api/auth/me',
    summary:
      'Delete your account. You are signed out everywhere at once, your tokens end and your agents stop; a week later it is gone for good, unless you sign in before.',
    confirmed: true,
    body: deleteAccountSchema,
    answer: deletionSchema,
    errors: [...offerErrors],
    audit: { none: 'People decide about their own accounts themselves.' },
  },
});

import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { memberDeleteMessages } from './moderation-actions.ts';
import { serverParam } from './server.ts';

/** The hours back from now of which a person's messages can be deleted at once: a week at most. */
export const hoursSchema = z.number().int().min(1).max(168);

export const deleteMemberMessagesSchema = z.object({
  hours: hoursSchema.describe('How far back, from now.'),
});

export const memberErasureSchema = z.object({
  estimate: z
    .number()
    .int()
    .describe('How many messages these are, counted among the newest of each channel; there may be more.'),
});

export const memberErasureCalls = calls('Servers', {
  deleteMemberMessages: {
    method: 'POST',
    path: '/api/servers/:id/members/:userId/messages/delete',
    summary:
      "Delete someone's messages of the last hours in all channels and threads of the server, in the background. For moderators, of lower roles and those who are no members.",
    params: { id: serverParam, userId: uuidParam('USER_NOT_FOUND', 'Id of the author, member or not.') },
    body: deleteMemberMessagesSchema,
    status: 202,
    answer: memberErasureSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'USER_NOT_FOUND'],
    audit: [memberDeleteMessages],
  },
});

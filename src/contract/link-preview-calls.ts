import { z } from 'zod';
import { auditAction } from './audit-action.ts';
import { calls, uuidParam } from './call.ts';
import { maxLinkAddress } from './link-preview.ts';
import { messageSchema } from './message.ts';

export const previewsRemove = auditAction({
  name: 'message.previews-remove',
  summary: 'Link previews of a message of someone else were removed.',
  fields: ['authorId'],
});

export const previewCalls = calls('Messages', {
  removePreviews: {
    method: 'DELETE',
    path: '/api/messages/:id/previews',
    summary:
      'Remove link previews of a message, for good: of your own, of one of a bot of yours, or as a moderator of that of others.',
    params: { id: uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.') },
    query: z.object({
      url: z.string().max(maxLinkAddress).optional().describe('The `url` of one of them; all of them without it.'),
    }),
    answer: messageSchema,
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'TIMED_OUT'],
    audit: [previewsRemove],
  },
});

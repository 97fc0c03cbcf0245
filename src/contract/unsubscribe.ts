import { z } from 'zod';
import { calls, rawAnswer } from './call.ts';

const page = {
  auth: 'none',
  path: '/unsubscribe',
  query: z.object({ token: z.string().max(512).optional().catch(undefined).describe('From the link of a mail.') }),
  answer: rawAnswer,
  produces: 'text/html',
  refusalPage: 404,
} as const;

/** Where the links of mails about what someone missed lead; they work without signing in. */
export const unsubscribeCalls = calls('Pages', {
  getUnsubscribePage: {
    ...page,
    method: 'GET',
    summary: 'Asks whether someone wants no more mails about what they missed. It changes nothing.',
  },
  unsubscribe: {
    ...page,
    method: 'POST',
    summary: 'Ends the mails about what someone missed (RFC 8058), also by `List-Unsubscribe=One-Click`.',
    body: z.object({ 'List-Unsubscribe': z.string().max(64).optional().catch(undefined) }),
    anyBody: true,
    status: 200,
    repeats: 'never',
  },
});

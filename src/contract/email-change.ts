import { z } from 'zod';
import { codeSchema, emailSchema } from './account.ts';
import { calls } from './call.ts';
import { mailedSchema } from './mailed.ts';
import { doneSchema } from './schema.ts';

export const emailChangeCalls = calls('Accounts', {
  startEmailChange: {
    method: 'POST',
    path: '/api/auth/email-change/start',
    summary: 'Get a code by mail at a new address, to make it yours. The answer is the same for every address.',
    confirmed: true,
    body: z.object({ email: emailSchema }),
    answer: mailedSchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
    limit: 'emailStart',
    repeats: 'never',
    unprotected: true,
  },
  completeEmailChange: {
    method: 'POST',
    path: '/api/auth/email-change/complete',
    summary: 'Change your address with the mailed code. The old address gets a link that undoes it.',
    body: z.object({ code: codeSchema }),
    answer: doneSchema.extend({ email: z.string() }),
    errors: ['INVALID_VERIFICATION_CODE', 'VERIFICATION_CODE_EXPIRED', 'EMAIL_TAKEN', 'INSUFFICIENT_PAT_SCOPE'],
    limit: 'auth',
    repeats: 'never',
    unprotected: true,
  },
  undoEmailChange: {
    method: 'POST',
    path: '/api/auth/email-change/undo',
    summary:
      'Take a change of address back with the token of the mailed link. All that lets anyone into the account ends: set a new password by mail.',
    auth: 'none',
    body: z.object({ token: z.string().min(1).max(512) }),
    answer: doneSchema.extend({ email: z.string() }),
    errors: ['VERIFICATION_LINK_INVALID', 'EMAIL_TAKEN', 'ACCOUNT_SUSPENDED'],
    limit: 'auth',
    repeats: 'never',
  },
});

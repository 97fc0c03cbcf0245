import { z } from 'zod';
import {
  authSchema,
  completeResetSchema,
  passwordChangedSchema,
  startByEmailSchema,
  verifyCodeSchema,
} from './account.ts';
import { calls } from './call.ts';

/** The same response for every address, with or without an account. */
export const mailedSchema = z.object({
  ok: z.literal(true),
  success: z.literal(true),
  expiresIn: z.number(),
  outbox: z
    .literal(true)
    .optional()
    .describe(
      'There is no mail server: mails are files in the folder `outbox` of the data directory, on the machine of this server.',
    ),
});

export const mailedCalls = calls('Accounts', {
  startEmailCode: {
    method: 'POST',
    path: '/api/auth/email/start',
    summary: 'Get a six-digit code by mail, to sign in or sign up. The answer is the same for every address.',
    auth: 'none',
    body: startByEmailSchema,
    answer: mailedSchema,
    limit: 'emailStart',
  },
  verifyEmailCode: {
    method: 'POST',
    path: '/api/auth/email/verify',
    summary: 'Sign in with the mailed code; creates an account if there is none.',
    auth: 'none',
    body: verifyCodeSchema,
    answer: authSchema,
    errors: [
      'INVALID_VERIFICATION_CODE',
      'VERIFICATION_CODE_EXPIRED',
      'INVALID_INVITE_CODE',
      'SECOND_FACTOR_REQUIRED',
      'ACCOUNT_SUSPENDED',
      'SIGN_UP_REFUSED',
      'EMAIL_TAKEN',
    ],
    limit: 'auth',
  },
  startPasswordReset: {
    method: 'POST',
    path: '/api/auth/password-reset/start',
    summary: 'Get a link by mail to set a new password. The answer is the same for every address.',
    auth: 'none',
    body: startByEmailSchema,
    answer: mailedSchema,
    limit: 'resetStart',
  },
  completePasswordReset: {
    method: 'POST',
    path: '/api/auth/password-reset/complete',
    summary:
      'Set a new password with the token of the mailed link. It works once; all sessions end, and with `endTokens` tokens, linked accounts and webhooks too. Where nobody had proven the address, everything ends.',
    auth: 'none',
    body: completeResetSchema,
    answer: passwordChangedSchema,
    errors: ['PASSWORD_RESET_TOKEN_INVALID', 'ACCOUNT_SUSPENDED', 'SERVER_BUSY'],
    limit: 'auth',
  },
});

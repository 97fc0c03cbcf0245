import { z } from 'zod';
import { codeSchema } from './account.ts';
import { calls } from './call.ts';
import { mailedSchema } from './mailed.ts';
import { doneSchema, omittable, record, timeSchema } from './schema.ts';

/** The token of the mailed link, or the mailed code. */
export const verifyEmailSchema = z
  .object({
    token: omittable(z.string().min(1).max(512)),
    code: omittable(codeSchema),
    password: omittable(z.string().min(1).max(1024)).describe(
      "With `token`, by someone who is not signed in: the account's password, which shows that they made it themselves.",
    ),
  })
  .refine(({ token, code }) => (token === undefined) !== (code === undefined), {
    path: ['token'],
    message: 'must be given, or code',
  });

export const emailVerifiedSchema = record('EmailVerified', {
  ...doneSchema.shape,
  emailVerifiedAt: timeSchema,
  takenOver: z
    .boolean()
    .describe(
      'Whether everything that let the maker of the account in has ended, since nobody had proven the address.',
    ),
});

export const verificationCalls = calls('Accounts', {
  startEmailVerification: {
    method: 'POST',
    path: '/api/auth/email-verification/start',
    summary: 'Get a mail with a link and a code that prove that your address is yours.',
    answer: mailedSchema,
    errors: ['EMAIL_ALREADY_VERIFIED', 'NO_EMAIL', 'INSUFFICIENT_PAT_SCOPE'],
    limit: 'auth',
    unprotected: true,
  },
  completeEmailVerification: {
    method: 'POST',
    path: '/api/auth/email-verification/complete',
    summary:
      "Prove an address by the mailed link's token, or, signed in to that account, by the mailed code. A link used by someone who is not signed in to the account takes over an account whose address nobody had proven.",
    auth: 'optional',
    body: verifyEmailSchema,
    answer: emailVerifiedSchema,
    errors: [
      'VERIFICATION_LINK_INVALID',
      'INVALID_VERIFICATION_CODE',
      'VERIFICATION_CODE_EXPIRED',
      'INVALID_CREDENTIALS',
      'AUTH_TOKEN_MISSING',
      'ACCOUNT_SUSPENDED',
      'EMAIL_TAKEN',
      'SERVER_BUSY',
    ],
    limit: 'auth',
    repeats: 'never',
    unprotected: true,
  },
});

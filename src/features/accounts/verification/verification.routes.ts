import { mailedSchema } from '../../../contract/account.ts';
import { done } from '../../../contract/schema.ts';
import { emailVerifiedSchema, verifyEmailSchema } from '../../../contract/verification.ts';
import { type Route, route } from '../../../rest/route.ts';
import type { EmailVerificationService } from './verification.service.ts';

const tag = 'Accounts';

export function verificationRoutes(verifications: EmailVerificationService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/email-verification/start',
      summary: 'Get a mail with a link and a code that prove that your address is yours.',
      tag,
      auth: 'required',
      answer: mailedSchema,
      errors: ['EMAIL_ALREADY_VERIFIED', 'NO_EMAIL', 'INSUFFICIENT_PAT_SCOPE'],
      limit: 'auth',
      handle: async ({ actor }) => ({ ...done, expiresIn: await verifications.start(actor) }),
    }),
    route({
      method: 'POST',
      path: '/api/auth/email-verification/complete',
      summary:
        "Prove an address by the mailed link's token, or, signed in to that account, by the mailed code. A link used by someone who is not signed in to the account takes over an account whose address nobody had proven.",
      tag,
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
        'SERVER_BUSY',
      ],
      limit: 'auth',
      repeats: 'never',
      handle: ({ actor, body }) => verifications.complete(actor, body),
    }),
  ];
}

import { z } from 'zod';
import { authSchema } from './account.ts';
import { calls } from './call.ts';
import { firstCodesSchema, passkeyAnswerSchema, passkeyRequestSchema, passkeySchema } from './passkey.ts';
import { doneSchema, omittable, record, timeSchema } from './schema.ts';

/** What may complete a sign-in, and confirm a session of an account that has it (contract §3). */
export const factorMethods = ['totp', 'passkey', 'recovery'] as const;
export type FactorMethod = (typeof factorMethods)[number];

/** A code of an authenticator app; some show it in two groups. */
const totpSchema = z
  .string()
  .trim()
  .regex(/^\d{3} ?\d{3}$/, 'must be six digits')
  .meta({ examples: ['123456'] })
  .transform((code) => code.replace(' ', ''));

/** As it was shown, in any case, with or without its hyphens. */
const recoveryCodeSchema = z.string().trim().min(1).max(64);

/** The proofs of a second factor. */
export const factorProof = {
  totp: omittable(totpSchema).describe('A code of your authenticator app.'),
  recoveryCode: omittable(recoveryCodeSchema).describe('One of your recovery codes; it is used up.'),
  passkey: omittable(passkeyAnswerSchema).describe("The browser's answer to the options of a passkey."),
};

/** Whether exactly one of several proofs was given. */
export const isOne = (proofs: object): boolean =>
  Object.values(proofs).filter((proof) => proof !== undefined).length === 1;

const ticketSchema = z.string().min(1).max(128).describe('Of the answer SECOND_FACTOR_REQUIRED.');

export const completeSignInSchema = z
  .object({ ticket: ticketSchema, ...factorProof })
  .refine(({ totp, recoveryCode, passkey }) => isOne({ totp, recoveryCode, passkey }), {
    path: ['totp'],
    message: 'must be given, or recoveryCode, or passkey',
  });

export const secondFactorSchema = record('SecondFactor', {
  required: z.boolean().describe('The operator requires one of everyone.'),
  totp: z.object({ createdAt: timeSchema }).nullable().describe('The authenticator app; null: none.'),
  passkeys: z.array(passkeySchema),
  recoveryCodes: z.number().int().describe('How many are left.'),
});

export const secondFactorCalls = calls('Accounts', {
  getSecondFactor: {
    method: 'GET',
    path: '/api/auth/second-factor',
    summary: 'Your second factors: authenticator app, passkeys, and how many recovery codes are left.',
    answer: secondFactorSchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
    unprotected: true,
  },
  completeSignIn: {
    method: 'POST',
    path: '/api/auth/second-factor/sign-in',
    summary: 'Complete a sign-in that answered SECOND_FACTOR_REQUIRED, with its ticket and one proof.',
    auth: 'none',
    body: completeSignInSchema,
    answer: authSchema,
    errors: [
      'SIGN_IN_TICKET_INVALID',
      'SECOND_FACTOR_INVALID',
      'PASSKEY_INVALID',
      'ACCOUNT_SUSPENDED',
      'EMAIL_NOT_VERIFIED',
    ],
    limit: 'auth',
  },
  startPasskeyCompletion: {
    method: 'POST',
    path: '/api/auth/second-factor/passkey',
    summary: 'Get the options with which the browser asks for a passkey, to complete a sign-in.',
    auth: 'none',
    body: z.object({ ticket: ticketSchema }),
    answer: passkeyRequestSchema,
    errors: ['SIGN_IN_TICKET_INVALID'],
    limit: 'auth',
  },
  startTotp: {
    method: 'POST',
    path: '/api/auth/totp',
    summary: 'Get a secret for an authenticator app. It counts once a code of it was given.',
    confirmed: true,
    answer: z.object({ secret: z.string().describe('In base32.'), uri: z.string().describe('For a QR code.') }),
    errors: ['TOTP_ACTIVE', 'EMAIL_NOT_VERIFIED', 'INSUFFICIENT_PAT_SCOPE'],
    limit: 'auth',
    repeats: 'never',
    unprotected: true,
  },
  completeTotp: {
    method: 'POST',
    path: '/api/auth/totp/complete',
    summary: 'Give a code of the authenticator app: from now on signing in takes a second factor.',
    body: z.object({ totp: totpSchema }),
    answer: doneSchema.extend({ recoveryCodes: firstCodesSchema }),
    errors: ['SECOND_FACTOR_INVALID', 'TOTP_NOT_FOUND', 'EMAIL_NOT_VERIFIED', 'INSUFFICIENT_PAT_SCOPE'],
    limit: 'auth',
    repeats: 'never',
    unprotected: true,
  },
  removeTotp: {
    method: 'DELETE',
    path: '/api/auth/totp',
    summary: 'Remove the authenticator app. Recovery codes go with the last factor.',
    confirmed: true,
    answer: doneSchema,
    errors: ['TOTP_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE'],
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/api/auth/recovery-codes',
    summary: 'Make ten new recovery codes; the old ones are invalid at once.',
    confirmed: true,
    answer: z.object({ recoveryCodes: z.array(z.string()).describe('Shown once; each works once.') }),
    errors: ['SECOND_FACTOR_SETUP_REQUIRED', 'INSUFFICIENT_PAT_SCOPE'],
    repeats: 'never',
  },
});

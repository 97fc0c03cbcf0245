import { z } from 'zod';
import { authSchema } from './account.ts';
import { calls, uuidParam } from './call.ts';
import { doneSchema, idSchema, nameSchema, omittable, record, timeSchema } from './schema.ts';

const bytes = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, 'must be base64url');

const credentialIdSchema = bytes(1368);
const type = z.literal('public-key');

/** What the browser's `navigator.credentials.get` returned, in the JSON form of WebAuthn. */
export const passkeyAnswerSchema = z.object({
  id: credentialIdSchema,
  rawId: credentialIdSchema,
  type,
  response: z.object({
    clientDataJSON: bytes(4096),
    authenticatorData: bytes(4096),
    signature: bytes(8192),
    userHandle: omittable(z.string().max(128)),
  }),
});

/** The same of `navigator.credentials.create`. */
export const newPasskeySchema = z.object({
  id: credentialIdSchema,
  rawId: credentialIdSchema,
  type,
  response: z.object({
    clientDataJSON: bytes(4096),
    attestationObject: bytes(32_768),
    transports: omittable(z.array(z.string().regex(/^[a-z-]{1,32}$/)).max(10)),
  }),
});

const verification = z.enum(['required', 'preferred']);
const timeout = z.number().int().describe('Milliseconds.');
const knownCredentials = z.array(z.object({ id: z.string(), type, transports: z.array(z.string()) }));

/** Options for `navigator.credentials.get`, in the JSON form of WebAuthn. */
export const passkeyRequestSchema = record('PasskeyRequest', {
  challenge: z.string(),
  timeout,
  rpId: z.string(),
  allowCredentials: knownCredentials.describe('Empty: any passkey of this site.'),
  userVerification: verification,
});

/** Options for `navigator.credentials.create`. */
export const passkeyCreationSchema = record('PasskeyCreation', {
  challenge: z.string(),
  timeout,
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.number().int(), type })),
  excludeCredentials: knownCredentials,
  authenticatorSelection: z.object({ residentKey: verification, userVerification: verification }),
  attestation: z.literal('none'),
});

export const passkeySchema = record('Passkey', {
  id: idSchema,
  name: z.string(),
  createdAt: timeSchema,
  lastUsedAt: timeSchema.nullable(),
});

/** What an answer that adds a factor has. */
export const firstCodesSchema = z
  .array(z.string())
  .nullable()
  .describe('Ten recovery codes, shown once, with the first factor of an account; else null.');

const passkeyName = nameSchema(64);
const passkeyParam = uuidParam('PASSKEY_NOT_FOUND', 'Id of the passkey.');

export const passkeyCalls = calls('Accounts', {
  startPasskeySignIn: {
    method: 'POST',
    path: '/api/auth/passkeys/sign-in/start',
    summary: 'Get the options with which the browser asks for any passkey of this site, to sign in without a name.',
    auth: 'none',
    answer: passkeyRequestSchema,
    limit: 'auth',
  },
  signInByPasskey: {
    method: 'POST',
    path: '/api/auth/passkeys/sign-in',
    summary: 'Sign in with a passkey that has verified its user; nothing else is needed.',
    auth: 'none',
    body: z.object({ passkey: passkeyAnswerSchema }),
    answer: authSchema,
    errors: ['PASSKEY_INVALID', 'ACCOUNT_SUSPENDED', 'EMAIL_NOT_VERIFIED'],
    limit: 'auth',
  },
  startPasskeyConfirmation: {
    method: 'POST',
    path: '/api/auth/confirm/passkey',
    summary: 'Get the options with which the browser asks for a passkey, to confirm that it is you.',
    answer: passkeyRequestSchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
    limit: 'auth',
    repeats: 'never',
  },
  startPasskey: {
    method: 'POST',
    path: '/api/auth/passkeys/start',
    summary: 'Get the options with which the browser makes a passkey.',
    confirmed: true,
    answer: passkeyCreationSchema,
    errors: ['PASSKEY_LIMIT', 'EMAIL_NOT_VERIFIED', 'INSUFFICIENT_PAT_SCOPE'],
    limit: 'auth',
    repeats: 'never',
    unprotected: true,
  },
  addPasskey: {
    method: 'POST',
    path: '/api/auth/passkeys',
    summary:
      'Add the passkey that the browser made: it signs you in, and from now on signing in takes a second factor.',
    body: z.object({ name: passkeyName, passkey: newPasskeySchema }),
    status: 201,
    answer: passkeySchema.extend({ recoveryCodes: firstCodesSchema }),
    errors: ['PASSKEY_INVALID', 'PASSKEY_LIMIT', 'EMAIL_NOT_VERIFIED', 'INSUFFICIENT_PAT_SCOPE'],
    limit: 'auth',
    repeats: 'never',
    unprotected: true,
  },
  renamePasskey: {
    method: 'PATCH',
    path: '/api/auth/passkeys/:id',
    summary: 'Rename a passkey of yours.',
    params: { id: passkeyParam },
    body: z.object({ name: passkeyName }),
    answer: passkeySchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
  },
  removePasskey: {
    method: 'DELETE',
    path: '/api/auth/passkeys/:id',
    summary: 'Remove a passkey of yours. Recovery codes go with the last factor.',
    confirmed: true,
    params: { id: passkeyParam },
    answer: doneSchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
  },
});

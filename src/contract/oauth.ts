import { z } from 'zod';
import { authSchema, displayNameSchema } from './account.ts';
import { calls, rawAnswer, textParam, uuidParam } from './call.ts';
import { inviteCodeSchema } from './membership.ts';
import { doneSchema, idSchema, omittable, record, timeSchema } from './schema.ts';

const redirectSchema = z.string().max(2048).optional().catch(undefined);

export const startOAuthSchema = z.object({
  /** A path on this site to open afterwards. */
  redirect: redirectSchema,
  /** Redeemed when the user returns, if it is valid. */
  inviteCode: inviteCodeSchema.optional().catch(undefined),
});

export const linkSchema = z.object({ redirect: redirectSchema });

export const linkAnswerSchema = z.object({ url: z.url() });

/** The provider's answer; the rest of the query is for the protocol library. */
export const callbackSchema = z.object({ state: z.string().max(512).optional().catch(undefined) });

const tokenText = z.string().min(1).max(16_384);

/** `idToken`, also `credential`, as Google's button calls it. */
export const idTokenSchema = z
  .object({
    idToken: omittable(tokenText),
    credential: omittable(tokenText),
    nonce: omittable(z.string().min(1).max(512)),
    displayName: omittable(displayNameSchema),
    inviteCode: omittable(inviteCodeSchema),
  })
  .refine(({ idToken, credential }) => (idToken ?? credential) !== undefined, {
    path: ['idToken'],
    message: 'must be given',
  });

export const oauthAccountSchema = record('OAuthAccount', {
  id: idSchema,
  provider: z.string(),
  providerEmail: z.string().nullable(),
  createdAt: timeSchema,
});

export const oauthProviderSchema = record('OAuthProvider', {
  provider: z.string().describe('Its word in paths, such as `google`.'),
  name: z.string().describe('As a button may call it.'),
});

const provider = textParam('PROVIDER_NOT_CONFIGURED', 'Word of the provider, such as google.');
/** Calls that only browsers are sent to. */
const redirecting = { auth: 'none', status: 302, produces: 'text/plain', answer: rawAnswer, limit: 'oauth' } as const;

export const oauthCalls = calls('Identity providers', {
  listOAuthProviders: {
    method: 'GET',
    path: '/api/auth/oauth/providers',
    summary: 'The configured providers that people may sign in with.',
    auth: 'none',
    answer: z.array(oauthProviderSchema),
  },
  startOAuth: {
    ...redirecting,
    method: 'GET',
    path: '/api/auth/oauth/:provider',
    summary: 'Send a browser here to sign in with a provider; it comes back to /app/oauth-callback.',
    params: { provider },
    query: startOAuthSchema,
  },
  finishOAuth: {
    ...redirecting,
    method: 'GET',
    path: '/api/auth/oauth/:provider/callback',
    summary: 'Where providers send browsers back to.',
    params: { provider },
    query: callbackSchema,
    headers: z.object({ cookie: z.string().optional() }),
  },
  startOAuthLink: {
    method: 'POST',
    path: '/api/auth/oauth/:provider/link',
    confirmed: true,
    summary: "Start linking a provider's account to yours: send the browser to the url, with the cookie it got.",
    params: { provider },
    body: linkSchema,
    answer: linkAnswerSchema,
    errors: ['PROVIDER_UNAVAILABLE', 'INSUFFICIENT_PAT_SCOPE'],
    limit: 'oauth',
    repeats: 'never',
  },
  signInByIdToken: {
    method: 'POST',
    path: '/api/auth/:provider/id-token',
    summary: "Sign in or sign up with a provider's ID token.",
    auth: 'none',
    params: { provider },
    body: idTokenSchema,
    answer: authSchema,
    errors: [
      'ID_TOKEN_INVALID',
      'PROVIDER_UNAVAILABLE',
      'SECOND_FACTOR_REQUIRED',
      'ACCOUNT_SUSPENDED',
      'SIGN_UP_REFUSED',
      'EMAIL_NOT_VERIFIED',
      'EMAIL_TAKEN',
    ],
    limit: 'auth',
  },
  listOAuthAccounts: {
    method: 'GET',
    path: '/api/auth/oauth/accounts',
    summary: 'The accounts of providers that sign you in.',
    answer: z.array(oauthAccountSchema),
  },
  unlinkOAuthAccount: {
    method: 'DELETE',
    path: '/api/auth/oauth/accounts/:accountId',
    confirmed: true,
    summary: 'Unlink an account. The last way to sign in stays.',
    params: { accountId: uuidParam('OAUTH_ACCOUNT_NOT_FOUND', 'Id of the linked account.') },
    answer: doneSchema,
    errors: ['LAST_SIGN_IN_METHOD', 'INSUFFICIENT_PAT_SCOPE'],
  },
});

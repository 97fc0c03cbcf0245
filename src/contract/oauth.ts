import { z } from 'zod';
import { displayNameSchema } from './account.ts';
import { inviteCodeSchema } from './membership.ts';
import { idSchema, omittable, record, timeSchema } from './schema.ts';

const redirectSchema = z.string().max(2048).optional().catch(undefined);

export const startOAuthSchema = z.object({
  /** A path on this site to go to afterwards. */
  redirect: redirectSchema,
  /** Redeemed when the user comes back, if it is valid. */
  inviteCode: inviteCodeSchema.optional().catch(undefined),
});

export const linkSchema = z.object({ redirect: redirectSchema });

export const linkAnswerSchema = z.object({ url: z.url() });

/** What providers send back; the rest of the query is for the protocol library. */
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

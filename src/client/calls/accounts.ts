import type {
  authSchema,
  changePasswordSchema,
  completeResetSchema,
  dashboardSchema,
  loginSchema,
  mailedSchema,
  ownUserSchema,
  passwordChangedSchema,
  profileSchema,
  registerSchema,
  startByEmailSchema,
  updateMeSchema,
  verifyCodeSchema,
} from '../../contract/account.ts';
import type { createInvitesSchema, inviteSchema } from '../../contract/invite.ts';
import type { membershipSchema, redeemSchema } from '../../contract/membership.ts';
import type { linkAnswerSchema, linkSchema, oauthAccountSchema, oauthProviderSchema } from '../../contract/oauth.ts';
import type { createTokenSchema, newTokenSchema, personalTokenSchema } from '../../contract/personal-token.ts';
import type { refreshSchema, sessionSchema, tokenPairSchema } from '../../contract/session.ts';
import type { emailVerifiedSchema, verifyEmailSchema } from '../../contract/verification.ts';
import type { Answer, Body, Done } from './shapes.ts';

/** Accounts, sessions, tokens and invite codes. */
export interface AccountCalls {
  'POST /api/auth/register': { body: Body<typeof registerSchema>; answer: Answer<typeof authSchema> };
  'POST /api/auth/login': { body: Body<typeof loginSchema>; answer: Answer<typeof authSchema> };
  'POST /api/auth/refresh': { body: Body<typeof refreshSchema>; answer: Answer<typeof tokenPairSchema> };
  'POST /api/auth/logout': { answer: Done };
  'POST /api/auth/email/start': { body: Body<typeof startByEmailSchema>; answer: Answer<typeof mailedSchema> };
  'POST /api/auth/email/verify': { body: Body<typeof verifyCodeSchema>; answer: Answer<typeof authSchema> };
  'POST /api/auth/password-reset/start': { body: Body<typeof startByEmailSchema>; answer: Answer<typeof mailedSchema> };
  'POST /api/auth/password-reset/complete': {
    body: Body<typeof completeResetSchema>;
    answer: Answer<typeof passwordChangedSchema>;
  };
  'PUT /api/auth/password': { body: Body<typeof changePasswordSchema>; answer: Answer<typeof passwordChangedSchema> };
  'POST /api/auth/email-verification/start': { answer: Answer<typeof mailedSchema> };
  'POST /api/auth/email-verification/complete': {
    body: Body<typeof verifyEmailSchema>;
    answer: Answer<typeof emailVerifiedSchema>;
  };
  'GET /api/auth/me': { answer: Answer<typeof ownUserSchema> };
  'PATCH /api/auth/me': { body: Body<typeof updateMeSchema>; answer: Answer<typeof ownUserSchema> };
  'GET /api/auth/users/:id': { answer: Answer<typeof profileSchema> };
  'GET /api/auth/dashboard': { answer: Answer<typeof dashboardSchema> };
  'GET /api/auth/sessions': { answer: Answer<typeof sessionSchema>[] };
  'DELETE /api/auth/sessions/:id': { answer: Done };
  'GET /api/membership/me': { answer: Answer<typeof membershipSchema> };
  'POST /api/membership/redeem-invite': { body: Body<typeof redeemSchema>; answer: Answer<typeof membershipSchema> };
  'GET /api/tokens': { answer: Answer<typeof personalTokenSchema>[] };
  'POST /api/tokens': { body: Body<typeof createTokenSchema>; answer: Answer<typeof newTokenSchema> };
  'DELETE /api/tokens/:id': { answer: Done };
  'GET /api/invite-codes': { answer: Answer<typeof inviteSchema>[] };
  'POST /api/invite-codes': { body: Body<typeof createInvitesSchema>; answer: Answer<typeof inviteSchema>[] };
  'PATCH /api/invite-codes/:id/deactivate': { answer: Answer<typeof inviteSchema> };
  'DELETE /api/invite-codes/:id': { answer: Done };

  'GET /api/auth/oauth/providers': { answer: Answer<typeof oauthProviderSchema>[] };
  'GET /api/auth/oauth/accounts': { answer: Answer<typeof oauthAccountSchema>[] };
  'POST /api/auth/oauth/:provider/link': { body: Body<typeof linkSchema>; answer: Answer<typeof linkAnswerSchema> };
  'DELETE /api/auth/oauth/accounts/:accountId': { answer: Done };
}

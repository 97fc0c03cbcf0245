import {
  authSchema,
  completeResetSchema,
  mailedSchema,
  passwordChangedSchema,
  startByEmailSchema,
  verifyCodeSchema,
} from '../../../contract/account.ts';
import { done } from '../../../contract/schema.ts';
import { type Route, route } from '../../../rest/route.ts';
import { deviceOf } from '../sessions/device.ts';
import type { EmailCodeService } from './email-code.service.ts';
import type { PasswordResetService } from './password-reset.service.ts';

const tag = 'Accounts';

export function mailedRoutes(codes: EmailCodeService, resets: PasswordResetService): Route[] {
  return [...codeRoutes(codes), ...resetRoutes(resets)];
}

function codeRoutes(codes: EmailCodeService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/email/start',
      summary: 'Get a six-digit code by mail, to sign in or sign up. The answer is the same for every address.',
      tag,
      auth: 'none',
      body: startByEmailSchema,
      answer: mailedSchema,
      limit: 'emailStart',
      handle: async ({ body }) => ({ ...done, expiresIn: await codes.start(body.email) }),
    }),
    route({
      method: 'POST',
      path: '/api/auth/email/verify',
      summary: 'Sign in with the mailed code; creates an account if there is none.',
      tag,
      auth: 'none',
      body: verifyCodeSchema,
      answer: authSchema,
      errors: ['INVALID_VERIFICATION_CODE', 'VERIFICATION_CODE_EXPIRED', 'INVALID_INVITE_CODE', 'ACCOUNT_SUSPENDED'],
      limit: 'auth',
      handle: (request) => codes.verify(request.body, deviceOf(request)),
    }),
  ];
}

function resetRoutes(resets: PasswordResetService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/password-reset/start',
      summary: 'Get a link by mail to set a new password. The answer is the same for every address.',
      tag,
      auth: 'none',
      body: startByEmailSchema,
      answer: mailedSchema,
      limit: 'resetStart',
      handle: async ({ body }) => ({ ...done, expiresIn: await resets.start(body.email) }),
    }),
    route({
      method: 'POST',
      path: '/api/auth/password-reset/complete',
      summary:
        'Set a new password with the token of the mailed link. It works once; all sessions end, and with `endTokens` tokens, linked accounts and webhooks too. Where nobody had proven the address, everything ends.',
      tag,
      auth: 'none',
      body: completeResetSchema,
      answer: passwordChangedSchema,
      errors: ['PASSWORD_RESET_TOKEN_INVALID', 'ACCOUNT_SUSPENDED', 'SERVER_BUSY'],
      limit: 'auth',
      handle: async ({ body }) => ({ ...done, remaining: await resets.complete(body) }),
    }),
  ];
}

import {
  authSchema,
  changePasswordSchema,
  dashboardSchema,
  loginSchema,
  menuSummarySchema,
  ownUserSchema,
  passwordChangedSchema,
  profileSchema,
  registerSchema,
  updateMeSchema,
} from '../../contract/account.ts';
import { done } from '../../contract/schema.ts';
import { type Route, route, uuidParam } from '../../rest/route.ts';
import type { AccountService } from './account.service.ts';
import type { Dashboard } from './dashboard.ts';
import { deviceOf } from './sessions/device.ts';

const tag = 'Accounts';
const id = uuidParam('USER_NOT_FOUND', 'Id of the user.');

export function accountRoutes(accounts: AccountService, dashboard: Dashboard): Route[] {
  return [...signInRoutes(accounts), ...selfRoutes(accounts, dashboard)];
}

function signInRoutes(accounts: AccountService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/register',
      summary: 'Create an account. With an invite code it is a member from the start, else a visitor.',
      tag,
      auth: 'none',
      body: registerSchema,
      status: 201,
      answer: authSchema,
      errors: ['EMAIL_TAKEN', 'USERNAME_TAKEN', 'INVALID_INVITE_CODE', 'EMAIL_NOT_VERIFIED', 'SERVER_BUSY'],
      limit: 'auth',
      handle: (request) => accounts.register(request.body, deviceOf(request)),
    }),
    route({
      method: 'POST',
      path: '/api/auth/login',
      summary: 'Sign in with an e-mail or username, and a password.',
      tag,
      auth: 'none',
      body: loginSchema,
      answer: authSchema,
      errors: ['INVALID_CREDENTIALS', 'ACCOUNT_SUSPENDED', 'EMAIL_NOT_VERIFIED', 'SERVER_BUSY'],
      limit: 'auth',
      handle: (request) => accounts.login(request.body, deviceOf(request)),
    }),
  ];
}

function selfRoutes(accounts: AccountService, dashboard: Dashboard): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/auth/me',
      summary: 'The signed-in user.',
      tag,
      auth: 'required',
      answer: ownUserSchema,
      handle: ({ actor }) => accounts.me(actor),
    }),
    route({
      method: 'PATCH',
      path: '/api/auth/me',
      summary: 'Change your display name or picture.',
      tag,
      auth: 'required',
      body: updateMeSchema,
      answer: ownUserSchema,
      handle: ({ actor, body }) => accounts.update(actor, body),
    }),
    route({
      method: 'GET',
      path: '/api/auth/users/:id',
      summary: "A user's public profile.",
      tag,
      auth: 'required',
      params: { id },
      answer: profileSchema,
      handle: ({ params }) => accounts.profile(params.id),
    }),
    route({
      method: 'PUT',
      path: '/api/auth/password',
      summary:
        'Set a new password. Your other sessions end, and with `endTokens` tokens, linked accounts and webhooks too; an account without a password needs no old one.',
      tag,
      auth: 'required',
      limit: 'auth',
      body: changePasswordSchema,
      answer: passwordChangedSchema,
      errors: ['CURRENT_PASSWORD_WRONG', 'INSUFFICIENT_PAT_SCOPE', 'SERVER_BUSY'],
      handle: async ({ actor, body }) => ({ ...done, remaining: await accounts.changePassword(actor, body) }),
    }),
    route({
      method: 'GET',
      path: '/api/auth/dashboard',
      summary: 'A summary of your account.',
      tag,
      auth: 'required',
      answer: dashboardSchema,
      handle: ({ actor }) => dashboard.summary(actor),
    }),
    route({
      method: 'GET',
      path: '/api/auth/menu-summary',
      summary: 'The counts shown in a menu.',
      tag,
      auth: 'required',
      answer: menuSummarySchema,
      handle: ({ actor }) => dashboard.menu(actor),
    }),
  ];
}

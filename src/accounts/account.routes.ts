import { type Route, route } from '../rest/route.ts';
import { authSchema, loginSchema, ownUserSchema, registerSchema } from './account.contract.ts';
import type { AccountService, Device } from './account.service.ts';

const tag = 'Accounts';

const deviceOf = ({ ip, userAgent, deviceName }: Device): Device => ({ ip, userAgent, deviceName });

export function accountRoutes(accounts: AccountService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/register',
      summary: 'Create an account. With an invite code it is a member from the start, else a visitor.',
      tag,
      entrance: 'anyone',
      body: registerSchema,
      status: 201,
      answer: authSchema,
      errors: ['EMAIL_TAKEN', 'USERNAME_TAKEN', 'INVALID_INVITE_CODE'],
      handle: (request) => accounts.register(request.body, deviceOf(request)),
    }),
    route({
      method: 'POST',
      path: '/api/auth/login',
      summary: 'Sign in with an e-mail or username, and a password.',
      tag,
      entrance: 'anyone',
      body: loginSchema,
      answer: authSchema,
      errors: ['INVALID_CREDENTIALS'],
      handle: (request) => accounts.login(request.body, deviceOf(request)),
    }),
    route({
      method: 'GET',
      path: '/api/auth/me',
      summary: 'The signed-in user.',
      tag,
      entrance: 'user',
      answer: ownUserSchema,
      handle: ({ actor }) => accounts.me(actor),
    }),
  ];
}

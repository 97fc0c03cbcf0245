import { z } from 'zod';
import { ownUserSchema } from './account.ts';
import { calls } from './call.ts';
import { sentUsernameSchema } from './username.ts';

export const changeUsernameSchema = z
  .object({ username: sentUsernameSchema })
  .meta({ example: { username: 'alice2' } });

export const usernameChangeCalls = calls('Accounts', {
  changeUsername: {
    method: 'PUT',
    path: '/api/auth/username',
    summary:
      'Take another username, twice in 30 days. The old one is kept for you meanwhile: nobody else can have it, and you may go back to it at any time.',
    confirmed: true,
    body: changeUsernameSchema,
    answer: ownUserSchema,
    errors: ['USERNAME_TAKEN', 'USERNAME_CHANGE_LIMIT', 'INSUFFICIENT_PAT_SCOPE', 'SERVER_BUSY'],
    limit: 'auth',
  },
});

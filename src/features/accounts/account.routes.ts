import { accountCalls } from '../../contract/account.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { AccountService } from './account.service.ts';
import type { Dashboard } from './dashboard.ts';
import { deviceOf } from './sessions/device.ts';

export function accountRoutes(accounts: AccountService, dashboard: Dashboard): Route[] {
  return serve(accountCalls, {
    register: (request) => accounts.register(request.body, deviceOf(request)),
    login: (request) => accounts.login(request.body, deviceOf(request)),
    getMe: ({ actor }) => accounts.me(actor),
    updateMe: ({ actor, body }) => accounts.update(actor, body),
    getUser: ({ params }) => accounts.profile(params.id),
    changePassword: async ({ actor, body }) => ({ ...done, remaining: await accounts.changePassword(actor, body) }),
    getDashboard: ({ actor }) => dashboard.summary(actor),
    getMenuSummary: ({ actor }) => dashboard.menu(actor),
  });
}

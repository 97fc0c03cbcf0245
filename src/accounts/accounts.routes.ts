import type { Route } from '../rest/route.ts';
import { accountRoutes } from './account.routes.ts';
import type { Accounts } from './account.services.ts';
import { departureRoutes } from './departure.routes.ts';
import { mailedRoutes } from './mailed.routes.ts';
import { membershipRoutes } from './membership.routes.ts';
import { oauthRoutes } from './oauth/oauth.routes.ts';
import { personalTokenRoutes } from './personal-token.routes.ts';
import { sessionRoutes } from './session.routes.ts';

/** All routes about who someone is. */
export function accountsRoutes(accounts: Accounts): Route[] {
  return [
    ...accountRoutes(accounts.service, accounts.dashboard),
    ...mailedRoutes(accounts.emailCodes, accounts.passwordResets),
    ...oauthRoutes(accounts.oauth, accounts.linking),
    ...sessionRoutes(accounts.sessions),
    ...personalTokenRoutes(accounts.personalTokens),
    ...membershipRoutes(accounts.membership),
    ...departureRoutes(accounts.departure),
  ];
}

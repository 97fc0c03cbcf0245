import type { Route } from '../../rest/route.ts';
import { accountRoutes } from './account.routes.ts';
import type { Accounts } from './account.services.ts';
import { disconnectRoutes } from './disconnect.routes.ts';
import { mailedRoutes } from './mailed/mailed.routes.ts';
import { membershipRoutes } from './membership/membership.routes.ts';
import { oauthRoutes } from './oauth/oauth.routes.ts';
import { personalTokenRoutes } from './personal-tokens/personal-token.routes.ts';
import { sessionRoutes } from './sessions/session.routes.ts';
import { verificationRoutes } from './verification/verification.routes.ts';

/** All routes for accounts and sign-in. */
export function accountsRoutes(accounts: Accounts): Route[] {
  return [
    ...accountRoutes(accounts.service, accounts.dashboard),
    ...mailedRoutes(accounts.emailCodes, accounts.passwordResets),
    ...verificationRoutes(accounts.verifications),
    ...oauthRoutes(accounts.oauth, accounts.linking),
    ...sessionRoutes(accounts.sessions),
    ...personalTokenRoutes(accounts.personalTokens),
    ...membershipRoutes(accounts.membership),
    ...disconnectRoutes(accounts.disconnects),
  ];
}

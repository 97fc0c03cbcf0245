import type { Capabilities } from '../../access/capabilities.ts';
import type { Caches } from '../../cluster/caches.ts';
import type { Control } from '../../cluster/control.ts';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { Mailer } from '../../infrastructure/mail.ts';
import type { RateLimits } from '../../infrastructure/rate-limits.ts';
import type { Settings } from '../../settings/settings.ts';
import { AccountService, type Introductions } from './account.service.ts';
import type { AgentIdentity } from './agent.identity.ts';
import { Credentials } from './credentials.ts';
import { Dashboard } from './dashboard.ts';
import { DisconnectService, type Goodbyes } from './disconnect.service.ts';
import { Identity } from './identity.ts';
import { AccountMails } from './mailed/account.mails.ts';
import { EmailCodeService } from './mailed/email-code.service.ts';
import { PasswordResetService } from './mailed/password-reset.service.ts';
import { MembershipService } from './membership/membership.service.ts';
import { LinkingService } from './oauth/linking.service.ts';
import { OAuthService } from './oauth/oauth.service.ts';
import { createProviders } from './oauth/providers.ts';
import { OperatorService } from './operator.service.ts';
import { Ownership } from './ownership.ts';
import { PasswordCheck } from './password-check.ts';
import { Passwords } from './passwords.ts';
import { PersonalTokenService } from './personal-tokens/personal-token.service.ts';
import { Revocation } from './sessions/revocation.ts';
import { SessionService } from './sessions/session.service.ts';
import { SessionActivity } from './sessions/session-activity.ts';
import { Suspensions } from './suspensions.ts';
import { Tokens } from './tokens.ts';
import { EmailVerificationService } from './verification/verification.service.ts';

export interface AccountsFoundation {
  settings: Settings;
  log: Log;
  database: Database;
  changes: Changes;
  caches: Caches;
  control: Control;
  capabilities: Capabilities;
  limits: RateLimits;
  mailer: Mailer;
  /** The public URL of this site; known once it is listening. */
  publicUrl: () => string;
  agentIdentity: AgentIdentity;
  presence: Goodbyes & Introductions;
}

/** All services for accounts and sign-in. */
export type Accounts = ReturnType<typeof createAccounts>;

/** Builds the services of this feature. */
export function createAccounts(foundation: AccountsFoundation) {
  const { settings, log, database, caches, control } = foundation;
  const tokens = new Tokens(settings);
  const activity = new SessionActivity(database, log);
  const identity = new Identity({ database, caches, tokens, activity, agents: foundation.agentIdentity });
  const revocation = new Revocation(caches, control);
  const passwords = new Passwords(settings.accounts.password);
  const credentials = new Credentials({ ...foundation, revocation });
  const sessions = new SessionService({ ...foundation, revocation, credentials, tokens });
  const membership = new MembershipService(foundation);
  const mails = new AccountMails(foundation.mailer, foundation.publicUrl);
  const passwordCheck = new PasswordCheck({ ...foundation, passwords });
  const ownership = new Ownership(credentials, mails);
  const verifications = new EmailVerificationService({ ...foundation, mails, ownership, passwordCheck });
  const suspensions = new Suspensions(foundation);
  const linking = new LinkingService({ ...foundation, mails, sessions, membership, ownership });
  const providers = createProviders(settings);
  return {
    tokens,
    identity,
    linking,
    oauth: new OAuthService({ ...foundation, linking, providers }),
    sessions,
    membership,
    verifications,
    service: new AccountService({
      ...foundation,
      passwords,
      passwordCheck,
      sessions,
      membership,
      credentials,
      verifications,
    }),
    emailCodes: new EmailCodeService({ ...foundation, mails, sessions, membership, ownership }),
    passwordResets: new PasswordResetService({ ...foundation, mails, passwords, credentials, ownership }),
    operator: new OperatorService({ ...foundation, passwords, membership, credentials, suspensions }),
    personalTokens: new PersonalTokenService({ ...foundation, revocation }),
    dashboard: new Dashboard(database),
    disconnects: new DisconnectService(identity, foundation.presence),
    close: () => activity.close(),
  };
}

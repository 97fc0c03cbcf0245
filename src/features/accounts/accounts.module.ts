import { SealedText } from '../../infrastructure/sealed-text.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import type { PicturesServices } from '../pictures/pictures.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { accountHandlers } from './account.gateway.ts';
import {
  accountRoutes,
  confirmationRoutes,
  emailChangeRoutes,
  mailedRoutes,
  membershipRoutes,
  usernameRoutes,
  verificationRoutes,
} from './account.routes.ts';
import { AccountService } from './account.service.ts';
import { EmailChangeService } from './address/email-change.service.ts';
import { AgentAccess } from './agent.access.ts';
import { AgentIdentity } from './agent.identity.ts';
import { AppTokens } from './app-tokens.ts';
import { Barring } from './barring.ts';
import { Confirmations } from './confirmation/confirmation.service.ts';
import { Credentials } from './credentials.ts';
import { Dashboard } from './dashboard.ts';
import { DisconnectService } from './disconnect.service.ts';
import { forgetEnded } from './forget-ended.table.ts';
import { forgetFormerNames } from './former-names.table.ts';
import { HookIdentity } from './hook.identity.ts';
import { Identity } from './identity.ts';
import { endSuspensions } from './instance-bans.table.ts';
import { InstanceBans } from './instance-bans.ts';
import { AccountMails, mailWork } from './mailed/account-mails.ts';
import { EmailCodeService } from './mailed/email-code.service.ts';
import { PasswordResetService } from './mailed/password-reset.service.ts';
import { MembershipService } from './membership/membership.service.ts';
import { SecurityNotices } from './notices/security-notices.ts';
import { SignIns } from './notices/sign-ins.ts';
import { LinkingService } from './oauth/linking.service.ts';
import { oauthRoutes } from './oauth/oauth.routes.ts';
import { OAuthService } from './oauth/oauth.service.ts';
import { createProviders } from './oauth/providers.ts';
import { OperatorService } from './operator.service.ts';
import { Operators } from './operators.ts';
import { Ownership } from './ownership.ts';
import { PasswordCheck } from './password-check.ts';
import { Passwords } from './passwords.ts';
import { PersonalTokenService } from './personal-tokens/personal-token.service.ts';
import { Factors } from './second-factor/factors.ts';
import { PasskeyService } from './second-factor/passkey.service.ts';
import { PasskeyChallenges } from './second-factor/passkey-challenges.ts';
import { passkeyRoutes, secondFactorRoutes } from './second-factor/second-factor.routes.ts';
import { SecondFactorService } from './second-factor/second-factor.service.ts';
import { Tickets } from './second-factor/tickets.ts';
import { TotpService } from './second-factor/totp.service.ts';
import { resealTotp } from './second-factor/totp.table.ts';
import { KnownDevices } from './sessions/known-devices.ts';
import { Revocation } from './sessions/revocation.ts';
import { disconnectRoutes, personalTokenRoutes, sessionRoutes } from './sessions/session.routes.ts';
import { SessionService } from './sessions/session.service.ts';
import { SessionActivity } from './sessions/session-activity.ts';
import { Suspensions } from './suspensions.ts';
import { Tokens } from './tokens.ts';
import { UsernameService } from './username.service.ts';
import { fillSkeletons } from './usernames.table.ts';
import { EmailVerificationService } from './verification/verification.service.ts';

export type AccountsServices = ReturnType<typeof accountsModule>['services'];

/** Accounts, signing in, and who is behind a token (contract §3). */
export function accountsModule(context: Context & PresenceServices & PicturesServices) {
  const { settings, database, caches, presence } = context;
  const tokens = new Tokens(settings);
  const appTokens = new AppTokens(settings);
  const activity = new SessionActivity(database, context.log);
  const agentAccess = new AgentAccess(database);
  const agentIdentity = new AgentIdentity(database, caches);
  const hookIdentity = new HookIdentity(database);
  const identity = new Identity({ settings, database, caches, tokens, appTokens, activity, agents: agentIdentity });
  context.links.admitOnly((userId) => identity.admits(userId));
  const mails = new AccountMails(context);
  const passwords = new Passwords(settings.accounts.password);
  const revocation = new Revocation(caches, context.control);
  const devices = new KnownDevices(settings);
  const notices = new SecurityNotices({ ...context, mails });
  const signIns = new SignIns(notices);
  const factors = new Factors(context);
  const barring = new Barring(settings);
  const base = {
    ...context,
    barring,
    tokens,
    devices,
    agentIdentity,
    mails,
    notices,
    signIns,
    passwords,
    revocation,
    factors,
  };
  const credentials = new Credentials(base);
  const membership = new MembershipService(base);
  const ownership = new Ownership(credentials, mails, barring);
  const tickets = new Tickets(base);
  const sessions = new SessionService({ ...base, credentials, tickets });
  const sealed = new SealedText(settings.jwtSecrets);
  const totp = new TotpService({ ...base, sealed });
  const passkeys = new PasskeyService({ ...base, challenges: new PasskeyChallenges(base) });
  const secondFactor = new SecondFactorService({ ...base, tickets, totp, passkeys, sessions });
  const passwordCheck = new PasswordCheck(base);
  const parts = { ...base, credentials, membership, ownership, sessions, passwordCheck };
  const verifications = new EmailVerificationService(parts);
  const codes = new EmailCodeService(parts);
  const resets = new PasswordResetService(parts);
  const addresses = new EmailChangeService(parts);
  const linking = new LinkingService(parts);
  const oauth = new OAuthService({ ...parts, linking, providers: createProviders(settings) });
  const confirmations = new Confirmations({ ...parts, codes, secondFactor });
  const service = new AccountService({ ...parts, verifications, confirmations });
  const dashboard = new Dashboard(database);
  const suspensions = new Suspensions(base);
  const bans = new InstanceBans({ barring, suspensions });
  const operator = new OperatorService({ ...parts, suspensions, bans, resets });
  const operators = new Operators(database);
  const sending = settings.smtpUrl ? {} : { outbox: true as const };
  return {
    services: {
      ...{ agentAccess, agentIdentity, tokens, identity, confirmations, credentials, mails, dashboard, operator },
      ...{ operators, suspensions, instanceBans: bans, hookIdentity, revocation, appTokens, notices },
    },
    routes: [
      ...accountRoutes(service, dashboard),
      ...usernameRoutes(new UsernameService(parts)),
      ...mailedRoutes(codes, resets, sending),
      ...confirmationRoutes(confirmations),
      ...secondFactorRoutes(secondFactor, totp),
      ...passkeyRoutes(secondFactor, passkeys),
      ...verificationRoutes(verifications, sending),
      ...emailChangeRoutes(addresses, sending),
      ...oauthRoutes(oauth, linking),
      ...sessionRoutes(sessions),
      ...personalTokenRoutes(new PersonalTokenService(base)),
      ...membershipRoutes(membership),
      ...disconnectRoutes(new DisconnectService(identity, presence)),
    ],
    handlers: ({ expiry }) => accountHandlers(identity, expiry),
    jobs: [...mailWork({ mails, codes, resets, verifications, addresses }, context), notices.work()],
    chores: [fillSkeletons, forgetFormerNames, resealTotp(sealed), endSuspensions, ...forgetEnded(settings.accounts)],
    close: () => activity.close(),
  } satisfies Module;
}

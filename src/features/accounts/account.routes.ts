import { accountCalls } from '../../contract/account.ts';
import { confirmationCalls } from '../../contract/confirmation.ts';
import { emailChangeCalls } from '../../contract/email-change.ts';
import { mailedCalls } from '../../contract/mailed.ts';
import { membershipCalls } from '../../contract/membership.ts';
import { done, isoTime } from '../../contract/schema.ts';
import { usernameChangeCalls } from '../../contract/username-change.ts';
import { verificationCalls } from '../../contract/verification.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { AccountService } from './account.service.ts';
import type { EmailChangeService } from './address/email-change.service.ts';
import type { Confirmations } from './confirmation/confirmation.service.ts';
import type { Dashboard } from './dashboard.ts';
import type { EmailCodeService } from './mailed/email-code.service.ts';
import type { PasswordResetService } from './mailed/password-reset.service.ts';
import type { MembershipService } from './membership/membership.service.ts';
import { deviceOf } from './sessions/device.ts';
import type { UsernameService } from './username.service.ts';
import type { EmailVerificationService } from './verification/verification.service.ts';

export function accountRoutes(accounts: AccountService, dashboard: Dashboard): Route[] {
  return serve(accountCalls, {
    register: (request) => accounts.register(request.body, deviceOf(request)),
    login: (request) => accounts.login(request.body, deviceOf(request, request.body.deviceToken)),
    getMe: ({ actor }) => accounts.me(actor),
    updateMe: ({ actor, body }) => accounts.update(actor, body),
    getUser: ({ actor, params }) => accounts.profile(actor, params.id),
    changePassword: async (request) => ({
      ...done,
      remaining: await accounts.changePassword(request.actor, request.body, deviceOf(request)),
    }),
    getDashboard: ({ actor }) => dashboard.summary(actor),
    getMenuSummary: ({ actor }) => dashboard.menu(actor),
  });
}

export function usernameRoutes(usernames: UsernameService): Route[] {
  return serve(usernameChangeCalls, {
    changeUsername: (request) => usernames.change(request.actor, request.body.username, deviceOf(request)),
  });
}

/** What is told of how mails are sent. */
type Sending = { outbox?: true };

export function mailedRoutes(codes: EmailCodeService, resets: PasswordResetService, sending: Sending): Route[] {
  return serve(mailedCalls, {
    startEmailCode: async ({ body, ip, language }) => ({
      ...done,
      ...sending,
      expiresIn: await codes.start(body.email, { ip, token: body.deviceToken, language }),
    }),
    verifyEmailCode: (request) => codes.verify(request.body, deviceOf(request, request.body.deviceToken)),
    startPasswordReset: async ({ body, ip, language }) => ({
      ...done,
      ...sending,
      expiresIn: await resets.start(body.email, { ip, token: body.deviceToken, language }),
    }),
    completePasswordReset: async (request) => ({
      ...done,
      remaining: await resets.complete(request.body, deviceOf(request)),
    }),
  });
}

export function confirmationRoutes(confirmations: Confirmations): Route[] {
  return serve(confirmationCalls, {
    confirmIdentity: async (request) => {
      const { actor, body } = request;
      const until = await confirmations.confirm(actor, body, deviceOf(request, body.deviceToken));
      return { ...done, confirmedUntil: isoTime(until) };
    },
  });
}

export function verificationRoutes(verifications: EmailVerificationService, sending: Sending): Route[] {
  return serve(verificationCalls, {
    startEmailVerification: async ({ actor, language }) => ({
      ...done,
      ...sending,
      expiresIn: await verifications.start(actor, language),
    }),
    completeEmailVerification: ({ actor, body }) => verifications.complete(actor, body),
  });
}

export function emailChangeRoutes(addresses: EmailChangeService, sending: Sending): Route[] {
  return serve(emailChangeCalls, {
    startEmailChange: async ({ actor, body }) => ({
      ...done,
      ...sending,
      expiresIn: await addresses.start(actor, body.email),
    }),
    completeEmailChange: async ({ actor, body }) => ({ ...done, email: await addresses.complete(actor, body.code) }),
    undoEmailChange: async (request) => ({
      ...done,
      email: await addresses.undo(request.body.token, deviceOf(request)),
    }),
  });
}

export function membershipRoutes(membership: MembershipService): Route[] {
  return serve(membershipCalls, {
    getMembership: ({ actor }) => membership.mine(actor),
    redeemInviteCode: ({ actor, body }) => membership.redeem(actor, body.code),
  });
}

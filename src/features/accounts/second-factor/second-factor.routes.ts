import { passkeyCalls } from '../../../contract/passkey.ts';
import { done } from '../../../contract/schema.ts';
import { secondFactorCalls } from '../../../contract/second-factor.ts';
import { type Route, serve } from '../../../rest/route.ts';
import { deviceOf } from '../sessions/device.ts';
import type { PasskeyService } from './passkey.service.ts';
import type { SecondFactorService } from './second-factor.service.ts';
import type { TotpService } from './totp.service.ts';

export function secondFactorRoutes(factors: SecondFactorService, totp: TotpService): Route[] {
  return serve(secondFactorCalls, {
    getSecondFactor: ({ actor }) => factors.overview(actor),
    completeSignIn: (request) => factors.complete(request.body, deviceOf(request)),
    startPasskeyCompletion: ({ body }) => factors.askToComplete(body.ticket),
    startTotp: ({ actor }) => totp.start(actor),
    completeTotp: async (request) => ({
      ...done,
      recoveryCodes: await totp.complete(request.actor, request.body.totp, deviceOf(request)),
    }),
    async removeTotp(request) {
      await totp.remove(request.actor, deviceOf(request));
      return done;
    },
    makeRecoveryCodes: async (request) => ({
      recoveryCodes: await factors.renewCodes(request.actor, deviceOf(request)),
    }),
  });
}

export function passkeyRoutes(factors: SecondFactorService, passkeys: PasskeyService): Route[] {
  return serve(passkeyCalls, {
    startPasskeySignIn: () => factors.askToSignIn(),
    signInByPasskey: (request) => factors.signIn(request.body.passkey, deviceOf(request)),
    startPasskeyConfirmation: ({ actor }) => factors.askToConfirm(actor),
    startPasskey: ({ actor }) => passkeys.startAdding(actor),
    addPasskey: (request) => passkeys.add(request.actor, request.body, deviceOf(request)),
    renamePasskey: ({ actor, params, body }) => passkeys.rename(actor, params.id, body.name),
    async removePasskey(request) {
      await passkeys.remove(request.actor, request.params.id, deviceOf(request));
      return done;
    },
  });
}

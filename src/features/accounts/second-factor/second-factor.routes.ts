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
    completeTotp: async ({ actor, body }) => ({ ...done, recoveryCodes: await totp.complete(actor, body.totp) }),
    async removeTotp({ actor }) {
      await totp.remove(actor);
      return done;
    },
    makeRecoveryCodes: async ({ actor }) => ({ recoveryCodes: await factors.renewCodes(actor) }),
  });
}

export function passkeyRoutes(factors: SecondFactorService, passkeys: PasskeyService): Route[] {
  return serve(passkeyCalls, {
    startPasskeySignIn: () => factors.askToSignIn(),
    signInByPasskey: (request) => factors.signIn(request.body.passkey, deviceOf(request)),
    startPasskeyConfirmation: ({ actor }) => factors.askToConfirm(actor),
    startPasskey: ({ actor }) => passkeys.startAdding(actor),
    addPasskey: ({ actor, body }) => passkeys.add(actor, body),
    renamePasskey: ({ actor, params, body }) => passkeys.rename(actor, params.id, body.name),
    async removePasskey({ actor, params }) {
      await passkeys.remove(actor, params.id);
      return done;
    },
  });
}

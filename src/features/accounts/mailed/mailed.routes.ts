import { mailedCalls } from '../../../contract/mailed.ts';
import { done } from '../../../contract/schema.ts';
import { type Route, serve } from '../../../rest/route.ts';
import { deviceOf } from '../sessions/device.ts';
import type { EmailCodeService } from './email-code.service.ts';
import type { PasswordResetService } from './password-reset.service.ts';

export function mailedRoutes(codes: EmailCodeService, resets: PasswordResetService): Route[] {
  return serve(mailedCalls, {
    startEmailCode: async ({ body }) => ({ ...done, expiresIn: await codes.start(body.email) }),
    verifyEmailCode: (request) => codes.verify(request.body, deviceOf(request)),
    startPasswordReset: async ({ body }) => ({ ...done, expiresIn: await resets.start(body.email) }),
    completePasswordReset: async ({ body }) => ({ ...done, remaining: await resets.complete(body) }),
  });
}

import { done } from '../../../contract/schema.ts';
import { verificationCalls } from '../../../contract/verification.ts';
import { type Route, serve } from '../../../rest/route.ts';
import type { EmailVerificationService } from './verification.service.ts';

export function verificationRoutes(verifications: EmailVerificationService): Route[] {
  return serve(verificationCalls, {
    startEmailVerification: async ({ actor }) => ({ ...done, expiresIn: await verifications.start(actor) }),
    completeEmailVerification: ({ actor, body }) => verifications.complete(actor, body),
  });
}

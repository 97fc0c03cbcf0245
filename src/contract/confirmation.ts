import { z } from 'zod';
import { codeSchema, deviceTokenSchema } from './account.ts';
import { calls } from './call.ts';
import { doneSchema, omittable, timeSchema } from './schema.ts';
import { factorProof, isOne } from './second-factor.ts';

export const confirmSchema = z
  .object({
    password: omittable(z.string().min(1).max(1024)),
    code: omittable(codeSchema).describe('Mailed to your address by `POST /api/auth/email/start`.'),
    ...factorProof,
    deviceToken: deviceTokenSchema,
  })
  .refine(({ deviceToken: _, ...proofs }) => isOne(proofs), {
    path: ['password'],
    message: 'must be given, or code, totp, recoveryCode, passkey',
  });

export const confirmationCalls = calls('Accounts', {
  confirmIdentity: {
    method: 'POST',
    path: '/api/auth/confirm',
    summary:
      'Show that it is you, by your password or a mailed code, or where you have one by your second factor. For a while this session may then do what others must not do with it.',
    body: confirmSchema,
    answer: doneSchema.extend({ confirmedUntil: timeSchema }),
    errors: [
      'CURRENT_PASSWORD_WRONG',
      'INVALID_VERIFICATION_CODE',
      'VERIFICATION_CODE_EXPIRED',
      'NO_EMAIL',
      'SECOND_FACTOR_REQUIRED',
      'SECOND_FACTOR_INVALID',
      'PASSKEY_INVALID',
      'INSUFFICIENT_PAT_SCOPE',
      'SERVER_BUSY',
    ],
    limit: 'auth',
    repeats: 'never',
    unprotected: true,
  },
});

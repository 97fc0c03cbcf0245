import { z } from 'zod';
import { doneSchema, omittable, record, timeSchema } from './schema.ts';

/** The token of the mailed link, or the mailed code. */
export const verifyEmailSchema = z
  .object({
    token: omittable(z.string().min(1).max(512)),
    code: omittable(
      z
        .string()
        .trim()
        .regex(/^\d{6}$/, 'must be six digits'),
    ),
    password: omittable(z.string().min(1).max(1024)).describe(
      "With `token`, by someone who is not signed in: the account's password, which shows that they made it themselves.",
    ),
  })
  .refine(({ token, code }) => (token === undefined) !== (code === undefined), {
    path: ['token'],
    message: 'must be given, or code',
  });

export const emailVerifiedSchema = record('EmailVerified', {
  ...doneSchema.shape,
  emailVerifiedAt: timeSchema,
  takenOver: z
    .boolean()
    .describe(
      'Whether everything that let the maker of the account in has ended, since nobody had proven the address.',
    ),
});

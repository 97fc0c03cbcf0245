import { z } from 'zod';
import { idSchema, record, timeSchema } from '../schema.ts';

export const membershipSchema = record('Membership', {
  status: z.string(),
  tier: z.object({ id: z.string(), level: z.number(), label: z.string(), capabilities: z.array(z.string()) }),
  level: z.number(),
  isMember: z.boolean(),
  capabilities: z.array(z.string()),
});

export const smallUserSchema = record('SmallUser', {
  id: idSchema,
  username: z.string(),
  displayName: z.string(),
  avatarUrl: z.string().nullable(),
  isBot: z.boolean(),
});

/** The user as it is shown to itself. */
export const ownUserSchema = record('OwnUser', {
  ...smallUserSchema.shape,
  email: z.string().nullable(),
  status: z.string(),
  membership: membershipSchema,
  createdAt: timeSchema,
});

export const authSchema = record('AuthAnswer', {
  accessToken: z.string(),
  refreshToken: z.string(),
  user: ownUserSchema,
});

/** 3 to 32 of letters, digits, `_`, `-`, `.`, with no `.` at its ends (contract §3, §13). */
export const usernameSchema = z
  .string()
  .trim()
  .min(3)
  .max(32)
  .regex(/^[\p{L}\p{N}_-][\p{L}\p{N}_.-]*[\p{L}\p{N}_-]$/u, 'must be letters, digits, "_", "-" or "."')
  .transform((name) => name.normalize('NFC'));

export const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email('must be an e-mail address'));

export const passwordSchema = z.string().min(8).max(128);

export const displayNameSchema = z.string().trim().min(1).max(64);

export const registerSchema = z.object({
  email: emailSchema,
  password: passwordSchema,
  username: usernameSchema.optional(),
  displayName: displayNameSchema.optional(),
  inviteCode: z.string().max(64).optional(),
});

/** `email` takes a username too. */
export const loginSchema = z.object({
  email: z.string().trim().min(1).max(254),
  password: z.string().min(1).max(1024),
});

export const refreshSchema = z.object({ refreshToken: z.string().min(1).max(512) });

import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { customStatusSchema } from './custom-status.ts';
import { ephemeralEvent } from './event.ts';
import { inviteCodeSchema, membershipSchema } from './membership.ts';
import { personal, updatePersonal } from './personal.ts';
import { pictureErrors, pictureUrlSchema } from './picture.ts';
import { doneSchema, idSchema, nameSchema, omittable, record, textSchema, timeSchema } from './schema.ts';
import { usernameSchema } from './username.ts';

export const smallUserSchema = record('SmallUser', {
  id: idSchema,
  username: z.string(),
  displayName: z.string(),
  avatarUrl: z.string().nullable(),
  isBot: z.boolean(),
});

export const userUpdated = ephemeralEvent({
  name: 'user:updated',
  summary: 'You, or someone whose presence you may see, has a new name or picture.',
  room: 'channel',
  payload: z.object({ user: smallUserSchema }),
});

/** The user as shown to itself. */
export const ownUserSchema = record('OwnUser', {
  ...smallUserSchema.shape,
  email: z.string().nullable(),
  emailVerifiedAt: timeSchema.nullable().describe('Since when the address is proven to be yours; null: it is not.'),
  secondFactor: z
    .enum(['none', 'active', 'required'])
    .describe(
      '`active`: signing in takes one. `required`: the operator wants one of everyone, and until there is one nothing but setting it up is possible.',
    ),
  status: z.string(),
  membership: membershipSchema,
  createdAt: timeSchema,
  ...personal,
  agentId: idSchema.optional().describe('For bots: the agent whose user this is.'),
  customStatus: customStatusSchema.nullable().optional().describe('What you say of yourself; in `GET /api/auth/me`.'),
});

/** Public facts about the agent behind a bot. */
export const agentBriefSchema = z.object({
  id: idSchema,
  ownerId: idSchema,
  status: z.string().describe('`running`, `stopped` or `error`.'),
  lastHeartbeat: timeSchema.nullable(),
});

/** Any user, as everyone may see it. */
export const profileSchema = record('Profile', {
  ...smallUserSchema.shape,
  agent: agentBriefSchema.optional().describe('For bots.'),
  customStatus: customStatusSchema
    .nullable()
    .optional()
    .describe('What they say of themselves, for those who may see their presence.'),
});

export const authSchema = record('AuthAnswer', {
  accessToken: z.string(),
  refreshToken: z.string(),
  deviceToken: z
    .string()
    .optional()
    .describe('Keep it, also after signing out, and bring it to the next login: strangers cannot use up its tries.'),
  user: ownUserSchema,
  restored: z.literal(true).optional().describe('The account was to be deleted; by this sign-in it stays.'),
});

export const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email('must be an e-mail address'));

const minPassword = 8;

/** Not zod's own `min`, for the reason given at `textSchema`. */
export const passwordSchema = textSchema(128)
  .refine((password) => password.length >= minPassword, `must have at least ${minPassword} characters`)
  .meta({ minLength: minPassword });

export const maxDisplayName = 64;
export const displayNameSchema = nameSchema(maxDisplayName);

/** No invite code: an invented one would be refused. */
const newAccount = {
  email: 'alice@example.com',
  password: 'correct horse battery staple',
  username: 'alice',
  displayName: 'Alice',
};

/** No credential: it says that its user has signed in on this device before. */
export const deviceTokenSchema = omittable(z.string().max(2048)).describe(
  'The `deviceToken` of an earlier sign-in here.',
);

export const registerSchema = z
  .object({
    email: emailSchema,
    password: passwordSchema,
    username: omittable(usernameSchema),
    displayName: omittable(displayNameSchema),
    inviteCode: omittable(inviteCodeSchema),
  })
  .meta({ example: newAccount });

export const loginSchema = z.object({
  email: z.string().trim().min(1).max(254).describe('An e-mail address or a username.'),
  password: z.string().min(1).max(1024),
  deviceToken: deviceTokenSchema,
});

export const updateMeSchema = z.object({
  displayName: displayNameSchema.optional(),
  avatarUrl: pictureUrlSchema.nullable().optional(),
  ...updatePersonal,
});

/** Rejects a confirmation that differs, in every call that sets a password. */
const confirmed = <T extends { newPassword: string; confirmPassword?: string }>(input: T) =>
  input.confirmPassword === undefined || input.confirmPassword === input.newPassword;
const unconfirmed = { path: ['confirmPassword'], message: 'must be the same as newPassword' };

/** For users who fear that somebody else knows the old password. */
const endTokens = omittable(z.boolean()).describe(
  "Ends, besides the other sessions: personal, agents' and model tokens and linked accounts; webhooks of your bots pause until you confirm them.",
);

/** The ways to sign in besides the new password and the remaining sessions. */
export const passwordChangedSchema = record('PasswordChanged', {
  ...doneSchema.shape,
  remaining: z.object({
    personalTokens: z.number(),
    agentTokens: z.number().describe('Of all of your bots.'),
    modelTokens: z.number(),
    linkedAccounts: z.number(),
    passkeys: z.number().describe('They stay also with `endTokens`: removing one takes a second factor.'),
    webhooks: z.number().describe('Where your bots send what they hear.'),
  }),
});

/** `oldPassword`, also `currentPassword`; not needed if there is no password yet. */
export const changePasswordSchema = z
  .object({
    oldPassword: omittable(z.string().max(1024)),
    currentPassword: omittable(z.string().max(1024)),
    newPassword: passwordSchema,
    confirmPassword: omittable(z.string().max(1024)),
    endTokens,
  })
  .refine(confirmed, unconfirmed);

export const startByEmailSchema = z.object({ email: emailSchema, deviceToken: deviceTokenSchema });

/** A mailed code. */
export const codeSchema = z
  .string()
  .trim()
  .regex(/^\d{6}$/, 'must be six digits');

export const verifyCodeSchema = z.object({
  email: emailSchema,
  code: codeSchema,
  displayName: omittable(displayNameSchema),
  inviteCode: omittable(inviteCodeSchema),
  deviceToken: deviceTokenSchema,
});

export const completeResetSchema = z
  .object({
    token: z.string().min(1).max(512),
    newPassword: passwordSchema,
    confirmPassword: omittable(z.string().max(1024)),
    endTokens,
  })
  .refine(confirmed, unconfirmed);

export const menuSummarySchema = z.object({
  notifications: z.object({ unreadCount: z.number() }),
  buddy: z.object({ count: z.number() }),
});

export const dashboardSchema = z.object({
  serversOwned: z.number(),
  serversJoined: z.number(),
  buddyCount: z.number(),
  buddyOnlineHours: z.number(),
  friends: z.number(),
  unreadNotifications: z.number(),
  messagesSent: z.number(),
  memberSince: timeSchema,
});

export const accountCalls = calls('Accounts', {
  register: {
    method: 'POST',
    path: '/api/auth/register',
    summary:
      'Create an account. With an invite code it is a member from the start, else a visitor. The answer is the same where the address has an account: then a mail there says so.',
    auth: 'none',
    body: registerSchema,
    status: 201,
    answer: authSchema,
    errors: ['USERNAME_TAKEN', 'INVALID_INVITE_CODE', 'EMAIL_NOT_VERIFIED', 'SIGN_UP_REFUSED', 'SERVER_BUSY'],
    limit: 'auth',
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with an e-mail or username, and a password.',
    auth: 'none',
    body: loginSchema,
    answer: authSchema,
    errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED', 'ACCOUNT_SUSPENDED', 'EMAIL_NOT_VERIFIED', 'SERVER_BUSY'],
    limit: 'auth',
  },
  getMe: {
    method: 'GET',
    path: '/api/auth/me',
    summary: 'The signed-in user.',
    answer: ownUserSchema,
    unprotected: true,
  },
  updateMe: {
    method: 'PATCH',
    path: '/api/auth/me',
    summary: 'Change your display name, picture, language or time zone.',
    body: updateMeSchema,
    answer: ownUserSchema,
    errors: pictureErrors,
  },
  getUser: {
    method: 'GET',
    path: '/api/auth/users/:id',
    summary: "A user's public profile.",
    params: { id: uuidParam('USER_NOT_FOUND', 'Id of the user.') },
    answer: profileSchema,
  },
  changePassword: {
    method: 'PUT',
    path: '/api/auth/password',
    summary:
      'Set a new password. Your other sessions end, and with `endTokens` tokens, linked accounts and webhooks too; an account without a password needs no old one, but to be confirmed.',
    body: changePasswordSchema,
    answer: passwordChangedSchema,
    errors: ['CURRENT_PASSWORD_WRONG', 'CONFIRMATION_REQUIRED', 'INSUFFICIENT_PAT_SCOPE', 'SERVER_BUSY'],
    limit: 'auth',
  },
  getDashboard: {
    method: 'GET',
    path: '/api/auth/dashboard',
    summary: 'A summary of your account.',
    answer: dashboardSchema,
  },
  getMenuSummary: {
    method: 'GET',
    path: '/api/auth/menu-summary',
    summary: 'The counts shown in a menu.',
    answer: menuSummarySchema,
  },
});

import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, slugParam, textParam } from './call.ts';
import { durableEvent } from './event.ts';
import { serverKeepDaysSchema } from './keep-days.ts';
import { inviteMemberSchema, memberSchema } from './member.ts';
import { pictureErrors, pictureUrlSchema } from './picture.ts';
import { permissions, roles } from './roles.ts';
import {
  colorSchema,
  descriptionSchema,
  doneSchema,
  idSchema,
  isUuid,
  limitSchema,
  nameSchema,
  offsetSchema,
  record,
  textSchema,
  timeSchema,
  withDefault,
} from './schema.ts';
import { serverDelete, serverRenewInvite, serverUpdate } from './server-actions.ts';
import { raidSettingsSchema } from './server-raid.ts';

/** Slugs that are path segments. */
const reservedSlugs = new Set(['discover', 'invite', 'join-requests', '_']);

export const slugSchema = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/, 'must be lower case letters, digits or "-", up to 100')
  .refine((slug) => !reservedSlugs.has(slug), 'is reserved')
  .refine((slug) => !isUuid(slug), 'must not be a UUID');

export const serverSchema = record('Server', {
  id: idSchema,
  name: z.string(),
  slug: z.string().nullable(),
  description: z.string().nullable(),
  iconUrl: z.string().nullable(),
  bannerUrl: z.string().nullable(),
  homepageHtml: z.string().nullable(),
  mark: z.string().nullable().describe('An emoji or one or two characters; shown where there is no picture.'),
  accentColor: z.string().nullable().describe('`#rrggbb`; the colour of buttons and the like while one is in it.'),
  isPublic: z.boolean(),
  ownerId: idSchema.optional().describe('For members only.'),
  inviteCode: z.string().optional().describe('For members only; bots see none.'),
  memberCount: z.number().int(),
  requireSecondFactor: z
    .boolean()
    .describe('People without a second factor may do no more here than members, whatever their role.'),
  rolesVersion: z.number().int().describe('Grows with each change of its roles; then read them again.'),
  emojiVersion: z.number().int().describe('Grows with each change of its own emoji; then read them again.'),
  categoriesVersion: z
    .number()
    .int()
    .describe('Grows with each change of the categories of its channels; then read them again.'),
  role: z.enum(roles).nullable().describe("The caller's role; null for those who are no members."),
  permissions: z
    .array(z.enum(permissions))
    .optional()
    .describe('What the caller may do here; a timeout, which is said apart, is not counted. For members only.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  holdNewMemberLinksHours: z
    .number()
    .int()
    .describe('Links of those who joined less than so many hours ago wait for a moderator; 0: they do not.'),
  keepMessagesDays: serverKeepDaysSchema.describe(
    'Older messages are removed, except in channels with a number of their own; null: they are kept for ever.',
  ),
  keepEditHistory: z
    .boolean()
    .describe('Moderators here can read earlier versions of messages that are edited, and authors those of their own.'),
  linkPreviews: z.boolean().describe('Messages here show previews of the pages that they link to.'),
});

/** The server that a code leads to, with what a link says besides. */
export const invitingServerSchema = serverSchema.extend({
  channel: z
    .object({ id: idSchema, name: z.string() })
    .nullable()
    .describe('The channel that the link names, where everyone who joins sees it.'),
  inviter: smallUserSchema.nullable().describe("Who made the link; null for the server's own code."),
});

/** The caller's servers: the record, also as `server` with `member` beside it for clients that look there. */
export const ownServerSchema = serverSchema.extend({ server: serverSchema, member: memberSchema });

export const homepageSchema = textSchema(256 * 1024).describe('HTML; shown by clients in a sandbox.');

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** The longest emoji have a good part of these. */
const maxMark = 32;

/** One or two characters as people see them. */
export const markSchema = nameSchema(maxMark)
  .refine((mark) => [...graphemes.segment(mark)].length <= 2, 'must have at most two characters')
  .meta({ example: '🌱' });

export const createServerSchema = z.object({
  name: nameSchema(100),
  slug: slugSchema.nullish(),
  description: descriptionSchema.nullish(),
  iconUrl: pictureUrlSchema.nullish(),
  bannerUrl: pictureUrlSchema.nullish(),
  homepageHtml: homepageSchema.nullish(),
  mark: markSchema.nullish(),
  accentColor: colorSchema.nullish(),
  isPublic: withDefault(z.boolean(), false),
});

export const updateServerSchema = z.object({
  name: nameSchema(100).optional(),
  slug: slugSchema.nullish(),
  description: descriptionSchema.nullish(),
  iconUrl: pictureUrlSchema.nullish(),
  bannerUrl: pictureUrlSchema.nullish(),
  homepageHtml: homepageSchema.nullish(),
  mark: markSchema.nullish(),
  accentColor: colorSchema.nullish(),
  isPublic: z.boolean().optional(),
  requireSecondFactor: z.boolean().optional().describe('Set by someone who has one.'),
  raid: raidSettingsSchema
    .optional()
    .describe('Raid mode; what is left out stays. GET /api/servers/:id/raid reads it.'),
  holdNewMemberLinksHours: z.int().min(0).max(720).optional().describe('Needs filter:manage too.'),
  keepMessagesDays: serverKeepDaysSchema
    .optional()
    .describe('Takes `retention:set` alone. Older messages are removed soon; null: they are kept for ever.'),
  keepEditHistory: z.boolean().optional().describe('From now on; false removes what is kept.'),
  linkPreviews: z.boolean().optional().describe('From now on; previews that are there stay.'),
});

export const discoverSchema = z.object({
  query: textSchema(100, z.string().trim()).default('').describe('Part of a name, slug or description.'),
  limit: limitSchema(100, 50),
  offset: offsetSchema(10_000),
});

/** The view of a private server for an outsider who has its id. */
export const serverStubSchema = z.object({ id: idSchema, isPublic: z.boolean() });

export const joinServerSchema = z.object({ inviteCode: z.string().trim().max(64).nullish() });

const serverChangeSchema = z.object({ serverId: idSchema, serverName: z.string(), server: serverSchema });

export const serverJoined = durableEvent({
  name: 'server:joined',
  summary: 'You became a member of a server.',
  room: 'user',
  payload: serverChangeSchema,
});

export const serverLeft = durableEvent({
  name: 'server:left',
  summary: 'You are no longer a member of a server.',
  room: 'user',
  payload: z.object({ serverId: idSchema }),
});

export const serverUpdated = durableEvent({
  name: 'server:updated',
  summary: 'A server of yours, or your role in it, was changed.',
  room: 'user',
  payload: serverChangeSchema,
});

export const serverDeleted = durableEvent({
  name: 'server:deleted',
  summary: 'A server of yours was deleted, with everything in it.',
  room: 'user',
  payload: z.object({ id: idSchema, serverId: idSchema }),
});

export const serverInvited = durableEvent({
  name: 'server:invited',
  summary: 'A member of a server invites you to join it.',
  room: 'user',
  payload: serverChangeSchema.extend({
    inviteCode: z.string().optional().describe('Not for personal access tokens.'),
    invitedBy: smallUserSchema,
  }),
});

export const serverParam = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');

export const serverCalls = calls('Servers', {
  createServer: {
    method: 'POST',
    path: '/api/servers',
    summary: 'Create a server; you own it, and it has a channel "general". Needs the capability server:create.',
    body: createServerSchema,
    status: 201,
    answer: serverSchema,
    errors: ['INVITE_REQUIRED', 'FORBIDDEN', 'SERVER_LIMIT', 'SLUG_TAKEN', ...pictureErrors],
  },
  listServers: {
    method: 'GET',
    path: '/api/servers',
    summary: 'The servers you belong to.',
    answer: z.array(ownServerSchema),
  },
  discoverServers: {
    method: 'GET',
    path: '/api/servers/discover',
    summary: 'Public servers, those with the most members first.',
    auth: 'ignore-invalid',
    query: discoverSchema,
    answer: z.array(serverSchema),
    limit: 'discover',
  },
  getServerByInvite: {
    method: 'GET',
    path: '/api/servers/invite/:code',
    summary: "The server that its own code or an invite link's leads to.",
    auth: 'ignore-invalid',
    params: { code: textParam('SERVER_NOT_FOUND', 'The code.') },
    answer: invitingServerSchema,
    errors: ['SERVER_NOT_FOUND'],
    limit: 'discover',
  },
  getServer: {
    method: 'GET',
    path: '/api/servers/:id',
    summary: 'A server: one of your own, or a public one.',
    params: { id: serverParam },
    answer: serverSchema,
    errors: ['SERVER_NOT_FOUND'],
  },
  updateServer: {
    method: 'PATCH',
    path: '/api/servers/:id',
    summary: 'Change a server; for admins.',
    params: { id: serverParam },
    body: updateServerSchema,
    answer: serverSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'SLUG_TAKEN', ...pictureErrors],
    audit: [serverUpdate],
  },
  deleteServer: {
    method: 'DELETE',
    path: '/api/servers/:id',
    confirmed: true,
    summary: 'Delete a server and everything in it; for its owner.',
    params: { id: serverParam },
    answer: doneSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
    audit: [serverDelete],
  },
  regenerateServerInvite: {
    method: 'POST',
    path: '/api/servers/:id/invite/regenerate',
    summary: 'Create a new invite code; the old one is invalid at once. For admins.',
    params: { id: serverParam },
    answer: z.object({ inviteCode: z.string() }),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
    audit: [serverRenewInvite],
  },
  inviteServerMember: {
    method: 'POST',
    path: '/api/servers/:id/invite-member',
    summary: 'Invite a user to join, by sending them the invite code.',
    params: { id: serverParam },
    body: inviteMemberSchema,
    answer: doneSchema,
    errors: [
      'SERVER_NOT_FOUND',
      'NOT_A_MEMBER',
      'USER_NOT_FOUND',
      'USER_BLOCKED',
      'ALREADY_MEMBER',
      'FORBIDDEN',
      'TIMED_OUT',
      'BANNED',
    ],
  },
});

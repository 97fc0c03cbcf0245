import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { inviteCreate, inviteDelete } from './invite-actions.ts';
import { memberSchema } from './member.ts';
import { doneSchema, idSchema, limitSchema, numberSchema, omittable, record, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

/** Ten years, in seconds: longer is for ever. */
const longest = 10 * 366 * 24 * 60 * 60;
const maxUses = 100_000;

export const serverInviteSchema = record('ServerInvite', {
  id: idSchema,
  serverId: idSchema,
  inviteCode: z.string().optional().describe('To join with. Not for personal access tokens.'),
  channelId: idSchema.nullable().describe('The channel that clients open for those who join.'),
  createdBy: idSchema.nullable(),
  createdByUser: smallUserSchema.nullable(),
  maxUses: z.number().int().nullable().describe('Null: any number.'),
  uses: z.number().int().describe('How many have joined with it, with those who are held.'),
  expiresAt: timeSchema.nullable().describe('Null: never.'),
  revokedAt: timeSchema.nullable(),
  isOpen: z.boolean().describe('False: it has expired, is used up, or was revoked; nobody joins with it.'),
  createdAt: timeSchema,
});

const countSchema = (most: number) => numberSchema(z.number().int().min(1).max(most));

export const createServerInviteSchema = z
  .object({
    expiresIn: omittable(countSchema(longest)).describe('Seconds until it ends; instead of `expiresAt`.'),
    // PostgreSQL's clock decides; it could not even read these.
    expiresAt: omittable(timeSchema.refine((text) => Date.parse(text) > 0, 'must be in the future')).describe(
      'When it ends; in the future, at most ten years from now. Left out: never.',
    ),
    maxUses: omittable(countSchema(maxUses)).describe('Left out: any number.'),
    channelId: omittable(idSchema).describe('A channel of the server that you see.'),
  })
  .refine(({ expiresIn, expiresAt }) => expiresIn === undefined || expiresAt === undefined, {
    path: ['expiresAt'],
    message: 'must not be given together with expiresIn',
  });

export const listServerInvitesSchema = z.object({
  limit: limitSchema(200, 100),
  cursor: z.string().optional().describe('`id` of the last link of the page before.'),
  open: z.enum(['true', 'false']).optional().describe('`true`: only those that people join with.'),
});

const listBroughtSchema = z.object({
  limit: limitSchema(200, 100),
  cursor: z.string().optional().describe('`userId` of the last member of the page before.'),
});

export const inviteCreated = durableEvent({
  name: 'invite:created',
  summary: 'There is a new invite link of a server; told to its maker and to those who manage links.',
  room: 'user',
  payload: z.object({ serverId: idSchema, invite: serverInviteSchema }),
});

export const inviteUsed = durableEvent({
  name: 'invite:used',
  summary: 'An invite link has another number of uses. Of uses at the same time the last is told.',
  room: 'user',
  payload: z.object({ serverId: idSchema, inviteId: idSchema, uses: z.number().int(), isOpen: z.boolean() }),
});

export const inviteDeleted = durableEvent({
  name: 'invite:deleted',
  summary: 'An invite link was revoked, by someone or since its maker was removed.',
  room: 'user',
  payload: z.object({ serverId: idSchema, inviteId: idSchema }),
});

const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'] as const;
const params = { id: serverParam, inviteId: uuidParam('SERVER_INVITE_NOT_FOUND', 'Id of the link.') } as const;

export const serverInviteCalls = calls('Servers', {
  createServerInvite: {
    method: 'POST',
    path: '/api/servers/:id/invites',
    summary: 'Make an invite link; for those who may make them. Not for bots.',
    params: { id: serverParam },
    body: createServerInviteSchema,
    status: 201,
    answer: serverInviteSchema,
    errors: [...errors, 'ROLE_REQUIRED', 'INSUFFICIENT_PAT_SCOPE', 'CHANNEL_NOT_FOUND', 'SERVER_INVITE_LIMIT'],
    audit: [inviteCreate],
  },
  listServerInvites: {
    method: 'GET',
    path: '/api/servers/:id/invites',
    summary:
      'Your invite links, newest first; all of the server for those who manage them. X-Has-More says whether there are more.',
    params: { id: serverParam },
    query: listServerInvitesSchema,
    paged: true,
    answer: z.array(serverInviteSchema),
    errors: [...errors, 'INVALID_CURSOR'],
  },
  listServerInviteMembers: {
    method: 'GET',
    path: '/api/servers/:id/invites/:inviteId/members',
    summary: 'The members who joined with a link of yours; with any link for those who manage them.',
    params,
    query: listBroughtSchema,
    paged: true,
    answer: z.array(memberSchema),
    errors: [...errors, 'SERVER_INVITE_NOT_FOUND', 'TIMED_OUT', 'INVALID_CURSOR'],
  },
  deleteServerInvite: {
    method: 'DELETE',
    path: '/api/servers/:id/invites/:inviteId',
    summary: 'End a link of yours at once; any link for those who manage them.',
    params,
    answer: doneSchema,
    errors: [...errors, 'SERVER_INVITE_NOT_FOUND', 'TIMED_OUT'],
    limit: null,
    audit: [inviteDelete],
  },
});

import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { auditAction } from './audit-action.ts';
import { calls, uuidParam } from './call.ts';
import { channelParam, channelSchema } from './channel.ts';
import { durableEvent } from './event.ts';
import { idSchema, record, timeSchema } from './schema.ts';
import { serverParam, serverSchema, serverStubSchema } from './server.ts';

export const joinRequestStates = ['pending', 'approved', 'rejected'] as const;

export const joinRequestSchema = record('JoinRequest', {
  id: idSchema,
  serverId: idSchema,
  channelId: idSchema.nullable().describe('Null: the server as a whole.'),
  userId: idSchema,
  user: smallUserSchema,
  status: z.enum(joinRequestStates),
  isHeld: z.boolean().describe('Raid mode held back a join; moderators decide about it too.'),
  inviteId: idSchema.nullable().describe('The invite link of a join that is held.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const requestedSchema = z.object({
  ok: z.literal(true),
  status: z.enum(joinRequestStates),
  requestId: idSchema,
});

export const decideSchema = z.object({ status: z.enum(['approved', 'rejected']) });

/** How many requests one call decides about, each in a change of its own. */
export const decidedAtOnce = 50;

export const decideManySchema = z
  .object({
    status: z.enum(['approved', 'rejected']),
    requestIds: z.array(idSchema).min(1).max(decidedAtOnce).optional(),
    all: z
      .literal(true)
      .optional()
      .describe(`The oldest for the server as a whole that you decide about, up to ${decidedAtOnce}.`),
    held: z.literal(true).optional().describe('With `all`: only those that raid mode holds.'),
  })
  .refine(
    ({ requestIds, all }) => (requestIds === undefined) !== (all === undefined),
    'needs either requestIds or all',
  );

export const decidedSchema = z.object({
  decided: z.array(idSchema),
  failed: z.array(z.object({ requestId: idSchema, code: z.string(), error: z.string() })),
  hasMore: z.boolean().describe('More of them are pending; call it again.'),
});

const place = {
  isMember: z.boolean(),
  canAccess: z.boolean(),
  canManage: z.boolean(),
  requiresApproval: z.boolean().describe('Ask with a join request.'),
  joinRequestStatus: z.enum(joinRequestStates).nullable(),
  joinRequestId: idSchema.nullable(),
};

/** The view of a private channel for a non-member who has its id. */
const channelStubSchema = channelSchema.pick({ id: true, serverId: true, kind: true, type: true, isPrivate: true });

export const serverAccessSchema = z.object({ server: z.union([serverSchema, serverStubSchema]), ...place });
export const channelAccessSchema = z.object({ channel: z.union([channelSchema, channelStubSchema]), ...place });

export const joinRequestCreated = durableEvent({
  name: 'join-request:created',
  summary: 'Someone asks to join a server or channel that you decide for.',
  room: 'user',
  payload: z.object({ request: joinRequestSchema }),
});

export const joinRequestDecided = durableEvent({
  name: 'join-request:decided',
  summary:
    'A join request, of yours or one that you decide about, was approved or rejected; what nobody can grant any more counts as rejected.',
  room: 'user',
  payload: z.object({ request: joinRequestSchema }),
});

const requestId = uuidParam('JOIN_REQUEST_NOT_FOUND', 'Id of the request.');
const decideErrors = ['JOIN_REQUEST_NOT_FOUND', 'JOIN_REQUEST_DECIDED', 'ROLE_REQUIRED'] as const;

export const joinRequestApprove = auditAction({
  name: 'join-request.approve',
  summary: 'Someone who asked was let in.',
});

export const joinRequestReject = auditAction({
  name: 'join-request.reject',
  summary: 'Someone who asked was refused.',
});

const decided = [joinRequestApprove, joinRequestReject] as const;

export const joinRequestCalls = calls('Join requests', {
  getServerAccess: {
    method: 'GET',
    path: '/api/servers/:id/access',
    summary: 'How you stand to a server.',
    params: { id: serverParam },
    answer: serverAccessSchema,
    errors: ['SERVER_NOT_FOUND'],
  },
  getChannelAccess: {
    method: 'GET',
    path: '/api/channels/:id/access',
    summary: 'Your access to a channel.',
    params: { id: channelParam },
    answer: channelAccessSchema,
    errors: ['CHANNEL_NOT_FOUND'],
  },
  requestToJoinServer: {
    method: 'POST',
    path: '/api/servers/:id/join-requests',
    summary: 'Ask to be let into a server; its admins decide.',
    params: { id: serverParam },
    status: 202,
    answer: requestedSchema,
    errors: ['SERVER_NOT_FOUND', 'ALREADY_MEMBER', 'FORBIDDEN', 'BANNED'],
  },
  requestToJoinChannel: {
    method: 'POST',
    path: '/api/channels/:id/join-requests',
    summary: 'Ask to be let into a private channel of a server of yours; its admins decide.',
    params: { id: channelParam },
    status: 202,
    answer: requestedSchema,
    errors: ['CHANNEL_NOT_FOUND', 'ALREADY_MEMBER', 'TIMED_OUT'],
  },
  listJoinRequests: {
    method: 'GET',
    path: '/api/servers/:id/join-requests',
    summary:
      'The requests that wait for a decision, for the server and its channels; for admins. Moderators get those that raid mode holds.',
    params: { id: serverParam },
    answer: z.array(joinRequestSchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
  },
  decideServerJoinRequests: {
    method: 'POST',
    path: '/api/servers/:id/join-requests/decide',
    summary: 'Approve or reject many requests to join a server, some at a time.',
    params: { id: serverParam },
    body: decideManySchema,
    answer: decidedSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
    audit: decided,
  },
  decideServerJoinRequest: {
    method: 'PATCH',
    path: '/api/servers/join-requests/:requestId',
    summary: 'Approve or reject a request to join a server; for admins.',
    params: { requestId },
    body: decideSchema,
    answer: joinRequestSchema,
    errors: [...decideErrors, 'BANNED'],
    audit: decided,
  },
  decideChannelJoinRequest: {
    method: 'PATCH',
    path: '/api/channel-join-requests/:requestId',
    summary: 'Approve or reject a request of someone else to join a channel; for admins.',
    params: { requestId },
    body: decideSchema,
    answer: joinRequestSchema,
    errors: [...decideErrors, 'FORBIDDEN', 'NOT_IN_SERVER'],
    audit: decided,
  },
});

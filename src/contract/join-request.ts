import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { channelSchema } from './channel.ts';
import { durableEvent } from './event.ts';
import { idSchema, record, timeSchema } from './schema.ts';
import { serverSchema, serverStubSchema } from './server.ts';

export const joinRequestStates = ['pending', 'approved', 'rejected'] as const;

export const joinRequestSchema = record('JoinRequest', {
  id: idSchema,
  serverId: idSchema,
  channelId: idSchema.nullable().describe('Null: the server as a whole.'),
  userId: idSchema,
  user: smallUserSchema,
  status: z.enum(joinRequestStates),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const requestedSchema = z.object({
  ok: z.literal(true),
  status: z.enum(joinRequestStates),
  requestId: idSchema,
});

export const decideSchema = z.object({ status: z.enum(['approved', 'rejected']) });

const place = {
  isMember: z.boolean(),
  canAccess: z.boolean(),
  canManage: z.boolean(),
  requiresApproval: z.boolean().describe('Ask with a join request.'),
  joinRequestStatus: z.enum(joinRequestStates).nullable(),
  joinRequestId: idSchema.nullable(),
};

/** What someone who asks for a private channel by its id may learn of it. */
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

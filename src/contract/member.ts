import { z } from 'zod';
import { agentBriefSchema, smallUserSchema } from './account.ts';
import { durableEvent } from './event.ts';
import { statusSchema } from './presence.ts';
import { roles } from './roles.ts';
import { idSchema, limitSchema, record, timeSchema } from './schema.ts';

export const memberSchema = record('Member', {
  userId: idSchema,
  serverId: idSchema.nullable().describe('Null: someone in direct messages.'),
  role: z.enum(roles),
  roles: z.array(idSchema).describe("Ids of the server's own roles that they have."),
  nickname: z.string().nullable(),
  joinedAt: timeSchema,
  user: smallUserSchema.extend({ status: statusSchema }),
  invitedBy: idSchema
    .nullable()
    .optional()
    .describe('Whose invite link they joined with; in the list of members, for those who manage links.'),
  inviteId: idSchema.nullable().optional().describe('That link, as long as it is known. For the same people.'),
  agent: agentBriefSchema
    .extend({
      kept: z.boolean().describe('Admins keep it for the server: it stays without its owner.'),
      workspaceWrite: z.boolean().describe('Admins let it write in the workspace.'),
    })
    .nullable()
    .describe('Behind a bot; null for people.'),
  timedOutUntil: timeSchema
    .nullable()
    .optional()
    .describe('When their timeout ends; null: they have none. For those who may time out, and for oneself.'),
  timeoutReason: z.string().nullable().optional().describe('Why; for the same.'),
});

export const listMembersSchema = z.object({
  limit: limitSchema(1000, 1000),
  cursor: z.string().optional().describe('`userId` of the last member of the page before.'),
});

export const setRoleSchema = z.object({ role: z.enum(roles).describe('`owner` hands the server over.') });

export const inviteMemberSchema = z.object({ userId: idSchema });

const memberEventSchema = z.object({
  serverId: idSchema,
  channelId: idSchema.optional(),
  scope: z
    .enum(['server', 'channel'])
    .describe('What it is about: the server with all its channels, of which each is told; or this channel alone.'),
  userId: idSchema,
  username: z.string(),
  displayName: z.string(),
  avatarUrl: z.string().nullable(),
  isBot: z.boolean(),
});

export const memberJoined = durableEvent({
  name: 'member:joined',
  summary: 'Someone is in this channel from now on.',
  room: 'channel',
  payload: memberEventSchema.extend({ role: z.enum(roles) }),
});

export const memberUpdated = durableEvent({
  name: 'member:updated',
  summary: 'Someone has other roles, or admins have decided something about a bot.',
  room: 'channel',
  payload: memberEventSchema.extend({
    role: z.enum(roles),
    roles: z.array(idSchema).describe("Ids of the server's own roles that they have."),
    kept: z.boolean().optional().describe('Of a bot.'),
  }),
});

export const memberLeft = durableEvent({
  name: 'member:left',
  summary: 'Someone is no longer in the server, or in this channel alone: `scope` says which.',
  room: 'channel',
  payload: memberEventSchema.extend({ serverId: idSchema.nullable().describe('Null: they left a group.') }),
});

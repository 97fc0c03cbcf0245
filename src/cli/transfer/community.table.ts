import { z } from 'zod';
import { emailSchema, maxDisplayName } from '../../contract/account.ts';
import { agentStatuses, maxNoteBytes, slashCommandsSchema } from '../../contract/agent.ts';
import { maxReason } from '../../contract/ban.ts';
import { channelTypes, slowModeSchema } from '../../contract/channel.ts';
import { filterActions, filterKinds, maxPattern } from '../../contract/filter.ts';
import { joinRequestStates } from '../../contract/join-request.ts';
import { channelKeepDaysSchema, serverKeepDaysSchema } from '../../contract/keep-days.ts';
import { maxConfigBytes, policyModes } from '../../contract/policy.ts';
import { roles } from '../../contract/roles.ts';
import { colorSchema, withDefault } from '../../contract/schema.ts';
import { homepageSchema, markSchema, slugSchema } from '../../contract/server.ts';
import { deletedUsernameKey, earlierUsernameKey, keptUsernameSchema } from '../../contract/username.ts';
import { formOf } from '../../features/filters/forms.ts';
import {
  amount,
  count,
  description,
  endTime,
  id,
  json,
  label,
  part,
  pictureUrl,
  serverChannels,
  smallCount,
  text,
  time,
  times,
} from './part.ts';
import { chosenChannels, contacts, people } from './selections.table.ts';

export const users = part({
  table: 'users',
  shape: z
    .object({
      id,
      username: keptUsernameSchema,
      email: emailSchema.nullable(),
      displayName: label(maxDisplayName),
      avatarUrl: pictureUrl,
      isBot: z.boolean(),
      tier: label(100),
      ...times,
      deletedAt: time.nullable(),
    })
    // Such an address could neither sign in nor register.
    .refine(({ email, isBot, deletedAt }) => email === null || !(isBot || deletedAt), {
      path: ['email'],
      message: 'must be null for bots and for deleted users',
    }),
  from: `users t WHERE t.id IN (${people}) ORDER BY t.id`,
  select: { email: `CASE WHEN t.deleted_at IS NULL AND t.id IN (${contacts}) THEN t.email END` },
  derive: ({ id, username, tier, deletedAt }, place) => ({
    username_key: deletedAt === null ? earlierUsernameKey(String(username)) : deletedUsernameKey(String(id)),
    tier: place.tierOf(tier),
  }),
  also: `INSERT INTO streams (id, kind) SELECT id, 'user' FROM json_populate_recordset(NULL::users, $1::json)`,
});

export const agents = part({
  table: 'agents',
  shape: z.object({
    id,
    userId: id,
    ownerId: id,
    status: z.enum(agentStatuses),
    config: json(maxNoteBytes),
    lastHeartbeat: time.nullable(),
    lastSeenAt: time.nullable(),
    onlineSeconds: amount,
    slashCommands: slashCommandsSchema.shape.commands.nullable(),
    usageSnapshot: json(maxNoteBytes).nullable(),
    ...times,
  }),
  from: `agents t WHERE t.user_id IN (${people}) ORDER BY t.id`,
  refers: { userId: 'users', ownerId: 'users' },
});

export const servers = part({
  table: 'servers',
  shape: z.object({
    id,
    name: label(100),
    slug: slugSchema.nullable(),
    description,
    iconUrl: pictureUrl,
    bannerUrl: pictureUrl,
    homepageHtml: homepageSchema.nullable(),
    isPublic: z.boolean(),
    ownerId: id,
    inviteCode: label(64),
    // Earlier versions wrote none.
    holdNewMemberLinksHours: withDefault(z.int().min(0).max(720), 0),
    ...times,
    // Earlier versions wrote none of these.
    keepMessagesDays: withDefault(serverKeepDaysSchema, null),
    keepEditHistory: withDefault(z.boolean(), false),
    // Earlier versions wrote none of these.
    linkPreviews: withDefault(z.boolean(), true),
    mark: withDefault(markSchema.nullable(), null),
    accentColor: withDefault(colorSchema.nullable(), null),
    emojiVersion: withDefault(smallCount, 0),
    categoriesVersion: withDefault(smallCount, 0),
  }),
  from: 'servers t WHERE t.id = $1',
  refers: { ownerId: 'users' },
});

export const members = part({
  table: 'server_members',
  shape: z.object({
    serverId: id,
    userId: id,
    role: z.enum(roles),
    nickname: label(100).nullable(),
    // Earlier versions wrote none of these.
    kept: withDefault(z.boolean(), false),
    workspaceWrite: withDefault(z.boolean(), false),
    invitedBy: withDefault(id.nullable(), null),
    joinedAt: time,
  }),
  from: 'server_members t WHERE t.server_id = $1 ORDER BY t.user_id',
  // The links themselves stay behind. Who made one may have left, and then has no account where this goes.
  select: { invitedBy: `CASE WHEN t.invited_by IN (${people}) THEN t.invited_by END` },
  refers: { serverId: 'servers', userId: 'users', invitedBy: 'users' },
});

export const raids = part({
  table: 'server_raids',
  shape: z.object({
    serverId: id,
    mode: z.enum(['off', 'auto']),
    joins: z.number().int().min(1).max(200),
    seconds: z.number().int().min(5).max(3600),
    minutes: z.number().int().min(1).max(1440),
  }),
  from: 'server_raids t WHERE t.server_id = $1',
  refers: { serverId: 'servers' },
});

export const bans = part({
  table: 'server_bans',
  shape: z.object({
    id,
    serverId: id,
    userId: id,
    bannedBy: id.nullable(),
    reason: text(maxReason).nullable(),
    until: endTime.nullable(),
    createdAt: time,
  }),
  from: 'server_bans t WHERE t.server_id = $1 ORDER BY t.id',
  refers: { serverId: 'servers', userId: 'users', bannedBy: 'users' },
});

/** They hold in the target, too, until the same time. */
export const timeouts = part({
  table: 'server_timeouts',
  shape: z.object({
    serverId: id,
    userId: id,
    timedOutBy: id.nullable(),
    reason: text(maxReason).nullable(),
    until: endTime,
    createdAt: time,
  }),
  from: 'server_timeouts t WHERE t.server_id = $1 AND t.until > now() ORDER BY t.user_id',
  refers: { serverId: 'servers', userId: 'users', timedOutBy: 'users' },
});

export const filters = part({
  table: 'server_filters',
  shape: z
    .object({
      id,
      serverId: id,
      kind: z.enum(filterKinds),
      pattern: label(maxPattern),
      action: z.enum(filterActions),
      createdBy: id.nullable(),
      createdAt: time,
    })
    .refine(({ kind, pattern }) => formOf(kind, pattern) !== '', 'must have something to look for'),
  from: 'server_filters t WHERE t.server_id = $1 ORDER BY t.id',
  refers: { serverId: 'servers', createdBy: 'users' },
  derive: ({ kind, pattern }) => ({ form: formOf(kind === 'link' ? 'link' : 'word', String(pattern)) }),
});

export const categories = part({
  table: 'channel_categories',
  shape: z.object({ id, serverId: id, name: label(100), position: smallCount, ...times }),
  from: 'channel_categories t WHERE t.server_id = $1 ORDER BY t.id',
  refers: { serverId: 'servers' },
});

export const channels = part({
  table: 'channels',
  shape: z.object({
    id,
    serverId: id,
    name: label(100),
    type: z.enum(channelTypes),
    description,
    position: smallCount,
    isPrivate: z.boolean(),
    isArchived: z.boolean(),
    createdBy: id.nullable(),
    lastSeq: count,
    ...times,
    // Earlier versions wrote none.
    slowModeSeconds: withDefault(slowModeSchema, 0),
    keepMessagesDays: withDefault(channelKeepDaysSchema, null),
    categoryId: withDefault(id.nullable(), null),
  }),
  from: 'channels t JOIN streams s ON s.id = t.id WHERE t.server_id = $1 ORDER BY t.id',
  select: { lastSeq: 's.last_seq' },
  elsewhere: ['lastSeq'],
  kinds: ['channels', serverChannels],
  refers: { serverId: 'servers', createdBy: 'users', categoryId: 'channel_categories' },
  derive: () => ({ kind: 'server' }),
  // The old log is not imported: clients with a position in it reread the lists.
  also: `INSERT INTO streams (id, kind, last_seq, floor_seq, is_closed) SELECT (c ->> 'id')::uuid, 'channel',
    (c ->> 'last_seq')::bigint, (c ->> 'last_seq')::bigint, (c ->> 'is_archived')::boolean
    FROM json_array_elements($1::json) AS c`,
});

const inChannels = `WHERE t.channel_id IN (${chosenChannels}) ORDER BY t.channel_id, t.user_id`;

export const channelMembers = part({
  table: 'channel_members',
  shape: z.object({ channelId: id, userId: id, excluded: z.boolean(), joinedAt: time }),
  from: `channel_members t ${inChannels}`,
  refers: { channelId: 'channels', userId: 'users' },
});

export const channelReads = part({
  table: 'channel_reads',
  shape: z.object({ channelId: id, userId: id, lastReadSeq: count }),
  from: `channel_reads t ${inChannels}`,
  refers: { channelId: 'channels', userId: 'users' },
});

export const joinRequests = part({
  table: 'join_requests',
  shape: z.object({
    id,
    serverId: id,
    channelId: id.nullable(),
    userId: id,
    status: z.enum(joinRequestStates),
    decidedBy: id.nullable(),
    ...times,
  }),
  from: `join_requests t LEFT JOIN channels c ON c.id = t.channel_id
    WHERE t.server_id = $1 AND (t.channel_id IS NULL OR c.server_id = $1) ORDER BY t.id`,
  refers: { serverId: 'servers', channelId: serverChannels, userId: 'users', decidedBy: 'users' },
});

const half = z.object({
  mode: z.enum(policyModes),
  mentionOnly: z.boolean(),
  reply: z.boolean(),
  listen: z.boolean(),
  config: json(maxConfigBytes),
});

export const policies = part({
  table: 'agent_policies',
  shape: z.object({
    id,
    agentId: id,
    serverId: id,
    channelId: id.nullable(),
    mode: z.enum(policyModes),
    mentionOnly: z.boolean(),
    reply: z.boolean(),
    listen: z.boolean(),
    // The combination of both sides.
    config: json(2 * maxConfigBytes),
    ownerHalf: withDefault(half.nullable(), null),
    serverHalf: withDefault(half.nullable(), null),
    ...times,
  }),
  from: `agent_policies t LEFT JOIN channels c ON c.id = t.channel_id
    WHERE t.server_id = $1 AND (t.channel_id IS NULL OR c.server_id = $1) ORDER BY t.id`,
  refers: { agentId: 'agents', serverId: 'servers', channelId: serverChannels },
  // A trigger splits policies that earlier versions wrote as one.
  derive: ({ ownerHalf, serverHalf }) => ({ revision: ownerHalf || serverHalf ? 1 : 0 }),
});

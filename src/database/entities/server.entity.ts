import { defineEntity, p } from '@mikro-orm/core';
import type { Role } from '../../contract/roles.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** A community with members, roles and channels. */
const ServerSchema = defineEntity({
  name: 'Server',
  tableName: 'servers',
  indexes: [
    { name: 'servers_expiring', properties: ['id'], where: { keepMessagesDays: { $ne: null } } },
    {
      name: 'servers_discover',
      expression: 'create index servers_discover on servers (member_count desc, id) where is_public',
    },
    {
      name: 'servers_icon_picture',
      expression: `create index servers_icon_picture on servers (icon_url) where icon_url like '/media/%'`,
    },
    {
      name: 'servers_banner_picture',
      expression: `create index servers_banner_picture on servers (banner_url) where banner_url like '/media/%'`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    name: p.string().columnType('text'),
    slug: p.string().columnType('text').nullable().unique(),
    description: p.string().columnType('text').nullable(),
    iconUrl: p.string().columnType('text').nullable(),
    bannerUrl: p.string().columnType('text').nullable(),
    homepageHtml: p.string().columnType('text').nullable(),
    /** An emoji or up to two characters, shown where there is no icon. */
    mark: p.string().columnType('text').nullable(),
    /** `#rrggbb`; null: that of the web client. */
    accentColor: p.string().columnType('text').nullable(),
    isPublic: p.boolean().default(false),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id'),
    inviteCode: p.string().columnType('text').unique(),
    /** Updated in the transactions that add and remove members, so that lists need not count. */
    memberCount: p.integer().default(0),
    /** Holds back the roles of people without a second factor. */
    requireSecondFactor: p.boolean().default(false),
    /** Whether anyone is notified of all messages in it; kept by a trigger. */
    isWatched: p.boolean().default(false),
    /** Counts the changes of its roles. */
    rolesVersion: p.integer().default(0),
    /** Counts the changes of its own emoji. */
    emojiVersion: p.integer().default(0),
    /** Counts the changes of the categories of its channels. */
    categoriesVersion: p.integer().default(0),
    /** Links of those who joined less than that ago wait for a moderator; 0: they do not. */
    holdNewMemberLinksHours: p.integer().default(0),
    /** Messages of its channels go after so many days; null: they stay. */
    keepMessagesDays: p.integer().nullable(),
    /** Whether the earlier versions of edited messages are kept. */
    keepEditHistory: p.boolean().default(false),
    /** Whether messages of its channels show previews of the pages that they link to. */
    linkPreviews: p.boolean().default(true),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
  },
});

export class Server extends ServerSchema.class {}
ServerSchema.setClass(Server);

const ServerMemberSchema = defineEntity({
  name: 'ServerMember',
  tableName: 'server_members',
  primaryKeys: ['serverId', 'userId'],
  indexes: [
    { name: 'server_members_roles', properties: ['serverId', 'role', 'userId'] },
    { name: 'server_members_recent', properties: ['serverId', 'joinedAt'] },
    { name: 'server_members_brought', properties: ['inviteId', 'userId'], where: { inviteId: { $ne: null } } },
  ],
  properties: {
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').primary().deleteRule('cascade'),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    role: p.string().columnType('text').$type<Role>(),
    nickname: p.string().columnType('text').nullable(),
    /** Of a bot: admins keep it for the server, even without its owner. */
    kept: p.boolean().default(false),
    /** Of a bot: admins let it write in the workspace. */
    workspaceWrite: p.boolean().default(false),
    /** Whose invite link they joined with, and which, as long as that is kept (`server_invites`). */
    invitedBy: () => p.manyToOne(User).mapToPk().fieldName('invited_by').nullable().deleteRule('set null').index(false),
    inviteId: p.uuid().nullable(),
    joinedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ServerMember extends ServerMemberSchema.class {}
ServerMemberSchema.setClass(ServerMember);

/** A ban from a server, with or without an end (contract §5). */
const ServerBanSchema = defineEntity({
  name: 'ServerBan',
  tableName: 'server_bans',
  uniques: [{ name: 'server_bans_user', properties: ['serverId', 'userId'] }],
  indexes: [
    { name: 'server_bans_recent', properties: ['serverId', 'id'] },
    { name: 'server_bans_banned', properties: ['userId'] },
  ],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    bannedBy: () => p.manyToOne(User).mapToPk().fieldName('banned_by').nullable().deleteRule('set null').index(false),
    reason: p.string().columnType('text').nullable(),
    /** It ends then, by PostgreSQL's clock; null: until it is lifted. */
    until: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ServerBan extends ServerBanSchema.class {}
ServerBanSchema.setClass(ServerBan);

/** Who may express nothing in a server for a while, member or not at the moment (contract §5). */
const ServerTimeoutSchema = defineEntity({
  name: 'ServerTimeout',
  tableName: 'server_timeouts',
  primaryKeys: ['serverId', 'userId'],
  indexes: [{ name: 'server_timeouts_over', properties: ['until'] }],
  properties: {
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    timedOutBy: () =>
      p.manyToOne(User).mapToPk().fieldName('timed_out_by').nullable().deleteRule('set null').index(false),
    reason: p.string().columnType('text').nullable(),
    until: p.datetime(3),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ServerTimeout extends ServerTimeoutSchema.class {}
ServerTimeoutSchema.setClass(ServerTimeout);

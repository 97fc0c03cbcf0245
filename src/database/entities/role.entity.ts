import { defineEntity, p } from '@mikro-orm/core';
import type { BuiltInRole } from '../../contract/roles.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** A role of a server's own, or a fixed one that it has changed (contract §5). */
const ServerRoleSchema = defineEntity({
  name: 'ServerRole',
  tableName: 'server_roles',
  uniques: [{ name: 'server_roles_built_in', properties: ['serverId', 'builtIn'] }],
  indexes: [{ name: 'server_roles_server', properties: ['serverId', 'position'] }],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    /** The fixed role that this row changes; null: a role of the server's own. */
    builtIn: p.string().columnType('text').$type<BuiltInRole>().nullable(),
    name: p.string().columnType('text'),
    /** `#rrggbb`. */
    color: p.string().columnType('text').nullable(),
    /** Own roles count from 1 up, the highest last; fixed ones have 0. */
    position: p.integer(),
    permissions: p.array().columnType('text[]'),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
  },
});

export class ServerRole extends ServerRoleSchema.class {}
ServerRoleSchema.setClass(ServerRole);

/** Who has a role of the server's own. */
const MemberRoleSchema = defineEntity({
  name: 'MemberRole',
  tableName: 'member_roles',
  primaryKeys: ['roleId', 'userId'],
  indexes: [{ name: 'member_roles_member', properties: ['serverId', 'userId'] }],
  properties: {
    roleId: () => p.manyToOne(ServerRole).mapToPk().fieldName('role_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
  },
});

export class MemberRole extends MemberRoleSchema.class {}
MemberRoleSchema.setClass(MemberRole);

/** What a channel allows or denies a role or a person apart from the server (contract §5). */
const ChannelOverrideSchema = defineEntity({
  name: 'ChannelOverride',
  tableName: 'channel_overrides',
  indexes: [
    {
      name: 'channel_overrides_subject',
      expression:
        'create unique index channel_overrides_subject on channel_overrides (channel_id, coalesce(built_in, role_id::text, user_id::text))',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(false),
    builtIn: p.string().columnType('text').$type<BuiltInRole>().nullable(),
    roleId: () =>
      p
        .manyToOne(ServerRole)
        .mapToPk()
        .fieldName('role_id')
        .nullable()
        .deleteRule('cascade')
        .index('channel_overrides_role'),
    userId: () =>
      p.manyToOne(User).mapToPk().fieldName('user_id').nullable().deleteRule('cascade').index('channel_overrides_user'),
    allow: p.array().columnType('text[]'),
    deny: p.array().columnType('text[]'),
  },
});

export class ChannelOverride extends ChannelOverrideSchema.class {}
ChannelOverrideSchema.setClass(ChannelOverride);

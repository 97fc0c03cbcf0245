import { defineEntity, p } from '@mikro-orm/core';
import type { Role } from '../../contract/roles.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

const ServerMemberSchema = defineEntity({
  name: 'ServerMember',
  tableName: 'server_members',
  primaryKeys: ['serverId', 'userId'],
  properties: {
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').primary().deleteRule('cascade'),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    role: p.string().columnType('text').$type<Role>(),
    nickname: p.string().columnType('text').nullable(),
    /** Of a bot: admins keep it for the server, whether or not its owner is there. */
    kept: p.boolean().default(false),
    /** Of a bot: admins let it write in the workspace. */
    workspaceWrite: p.boolean().default(false),
    joinedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ServerMember extends ServerMemberSchema.class {}
ServerMemberSchema.setClass(ServerMember);

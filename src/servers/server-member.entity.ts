import { defineEntity, p } from '@mikro-orm/core';
import type { Role } from '../access/roles.ts';
import { User } from '../accounts/user.entity.ts';
import { Server } from './server.entity.ts';

const ServerMemberSchema = defineEntity({
  name: 'ServerMember',
  tableName: 'server_members',
  primaryKeys: ['serverId', 'userId'],
  properties: {
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').primary().deleteRule('cascade'),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    role: p.string().columnType('text').$type<Role>(),
    nickname: p.string().columnType('text').nullable(),
    joinedAt: p.datetime(3).onCreate(() => new Date()),
  },
});

export class ServerMember extends ServerMemberSchema.class {}
ServerMemberSchema.setClass(ServerMember);

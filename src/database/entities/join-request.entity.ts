import { defineEntity, p } from '@mikro-orm/core';
import type { joinRequestStates } from '../../contract/join-request.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** A request to join a server or a private channel; its admins decide (contract §12). */
const JoinRequestSchema = defineEntity({
  name: 'JoinRequest',
  tableName: 'join_requests',
  uniques: [
    { name: 'join_requests_server', properties: ['serverId', 'userId'], where: { channelId: null } },
    { name: 'join_requests_channel', properties: ['channelId', 'userId'], where: { channelId: { $ne: null } } },
  ],
  indexes: [{ name: 'join_requests_pending', properties: ['serverId', 'id'], where: { status: 'pending' } }],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(),
    /** Null: the server as a whole. */
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').nullable().deleteRule('cascade').index(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    status: p.string().columnType('text').$type<(typeof joinRequestStates)[number]>(),
    decidedBy: () => p.manyToOne(User).mapToPk().fieldName('decided_by').nullable().deleteRule('set null').index(false),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class JoinRequest extends JoinRequestSchema.class {}
JoinRequestSchema.setClass(JoinRequest);

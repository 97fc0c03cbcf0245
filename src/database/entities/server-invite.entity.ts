import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** A link that people join a server with, besides its one code (contract §5). */
const ServerInviteSchema = defineEntity({
  name: 'ServerInvite',
  tableName: 'server_invites',
  indexes: [
    { name: 'server_invites_server', properties: ['serverId', 'id'] },
    { name: 'server_invites_maker', properties: ['createdBy'], where: { createdBy: { $ne: null } } },
    { name: 'server_invites_channel', properties: ['channelId'], where: { channelId: { $ne: null } } },
    { name: 'server_invites_over', properties: ['overAt'], where: { overAt: { $ne: null } } },
  ],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    code: p.string().columnType('text').unique(),
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').nullable().deleteRule('set null').index(false),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('set null').index(false),
    maxUses: p.integer().nullable(),
    /** Counted in the transactions that join, or hold a join; a trigger takes back what was held in vain. */
    uses: p.integer().default(0),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    revokedBy: () => p.manyToOne(User).mapToPk().fieldName('revoked_by').nullable().deleteRule('set null').index(false),
    /** When nobody joins with it any more, for whichever of the three reasons, by PostgreSQL's clock; null: not in sight. */
    overAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ServerInvite extends ServerInviteSchema.class {}
ServerInviteSchema.setClass(ServerInvite);

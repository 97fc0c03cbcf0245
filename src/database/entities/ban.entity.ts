import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** Someone who may not enter a server, with or without an end (contract §5). */
const ServerBanSchema = defineEntity({
  name: 'ServerBan',
  tableName: 'server_bans',
  uniques: [{ name: 'server_bans_user', properties: ['serverId', 'userId'] }],
  indexes: [{ name: 'server_bans_recent', properties: ['serverId', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    bannedBy: () => p.manyToOne(User).mapToPk().fieldName('banned_by').nullable().deleteRule('set null').index(false),
    reason: p.string().columnType('text').nullable(),
    /** It counts up to here, by PostgreSQL's clock; null: until it is lifted. */
    until: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ServerBan extends ServerBanSchema.class {}
ServerBanSchema.setClass(ServerBan);

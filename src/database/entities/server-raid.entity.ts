import { defineEntity, p } from '@mikro-orm/core';
import { Server } from './server.entity.ts';

/** Raid mode of a server (contract §5). A server without a row has never set it: it is off. */
const ServerRaidSchema = defineEntity({
  name: 'ServerRaid',
  tableName: 'server_raids',
  properties: {
    serverId: () => p.oneToOne(Server).mapToPk().fieldName('server_id').primary().deleteRule('cascade').owner(),
    mode: p.string().columnType('text').$type<'off' | 'auto'>().default('off'),
    /** Switched on until it is switched off. */
    forced: p.boolean().default(false),
    joins: p.integer().default(20),
    seconds: p.integer().default(60),
    minutes: p.integer().default(30),
    /** The beginning of the joins that turned it on; null: it is off. */
    since: p.datetime(3).nullable(),
    exceededAt: p.datetime(3).nullable(),
    /** The last joins, `joins` at most: when, and by whom, so that nobody counts twice. */
    recentAt: p.array().columnType('timestamptz[]').$type<Date[]>().default([]),
    recentIds: p.array().columnType('uuid[]').$type<string[]>().default([]),
  },
});

export class ServerRaid extends ServerRaidSchema.class {}
ServerRaidSchema.setClass(ServerRaid);

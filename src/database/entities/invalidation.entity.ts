import { defineEntity, p } from '@mikro-orm/core';

/** A note that something was changed which nodes may have in their caches. Written by triggers alone. */
const InvalidationSchema = defineEntity({
  name: 'Invalidation',
  tableName: 'invalidations',
  indexes: [{ name: 'invalidations_xid', properties: ['xid'] }],
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    /** The transaction of the change. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    cache: p.string().columnType('text'),
    /** Null: all that is in the cache. */
    keys: p.array().columnType('text[]').nullable(),
    createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

export class Invalidation extends InvalidationSchema.class {}
InvalidationSchema.setClass(Invalidation);

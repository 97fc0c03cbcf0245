import { defineEntity, p } from '@mikro-orm/core';

/** The answer to a request that carried an Idempotency-Key, kept for a day (contract §1). */
const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  primaryKeys: ['userId', 'route', 'key'],
  indexes: [{ name: 'idempotency_keys_age', properties: ['createdAt'] }],
  properties: {
    userId: p.uuid().primary(),
    route: p.string().columnType('text').primary(),
    key: p.string().columnType('text').primary(),
    status: p.integer().nullable(),
    answer: p.json<unknown>().columnType('json').nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);

/** An invalidation: nodes may have the changed rows in their caches. Written by triggers alone. */
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

/** A log of a person or of direct messages got events. Written by triggers alone. */
const MovedLogSchema = defineEntity({
  name: 'MovedLog',
  tableName: 'moved_logs',
  primaryKeys: ['xid', 'streamId'],
  properties: {
    /** The transaction of the change. */
    xid: p.string().columnType('xid8').primary().defaultRaw('pg_current_xact_id()'),
    streamId: p.uuid().primary(),
    createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

export class MovedLog extends MovedLogSchema.class {}
MovedLogSchema.setClass(MovedLog);

/**
 * The head of a room's log. `id` is the channel's or the user's. Every append locks this row until it commits:
 * this keeps the numbers free of gaps across all nodes.
 */
const StreamSchema = defineEntity({
  name: 'Stream',
  tableName: 'streams',
  properties: {
    id: p.uuid().primary(),
    kind: p.string().columnType('text').$type<'channel' | 'user'>(),
    lastSeq: p.bigint('number').default(0),
    /** Entries up to and with this one have been trimmed. */
    floorSeq: p.bigint('number').default(0),
    /** The last entry that is more than just a new message. */
    changedSeq: p.bigint('number').default(0),
    /** The writer appends nothing more; changes still do. */
    isClosed: p.boolean().default(false),
    /**
     * Its moves are noted in `moved_logs`: of direct messages. Set by a trigger. A group that becomes a channel keeps it, since
     * nodes that follow it rely on that.
     */
    isDirect: p.boolean().default(false),
  },
});

export class Stream extends StreamSchema.class {}
StreamSchema.setClass(Stream);

/** One durable event of a room. `data` is the payload just as it is sent. Each partition has the primary key. */
const LogEntrySchema = defineEntity({
  name: 'LogRow',
  tableName: 'log_entries',
  primaryKeys: ['streamId', 'seq'],
  indexes: [
    {
      // Entries beside its message:new that repeat a message's content, even as a name: they change and end with it.
      name: 'log_entries_retold',
      expression:
        "create index log_entries_retold on log_entries (stream_id, (data ->> 'id')) where event in ('message:updated', 'message:pinned', 'message:unpinned', 'thread:created', 'thread:updated') and not is_outdated",
    },
    {
      // Entries that quote a message to the users notified of it: they are emptied with it too.
      name: 'log_entries_quoting',
      expression:
        "create index log_entries_quoting on log_entries ((data ->> 'referenceId')) where event in ('notification:new', 'notification:updated')",
    },
  ],
  properties: {
    streamId: p.uuid().primary(),
    seq: p.bigint('number').primary(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** The thread it belongs to, for sockets that follow only that thread. */
    threadId: p.uuid().nullable(),
    /** The repeated text has changed: `data` lacks it, and readers get the current text (see messages/outdated). */
    isOutdated: p.boolean().default(false),
    event: p.string().columnType('text'),
    data: p.json<unknown>().columnType('json'),
  },
});

export class LogRow extends LogEntrySchema.class {}
LogEntrySchema.setClass(LogRow);

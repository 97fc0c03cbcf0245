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

import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** A token with which a cloud runtime calls the model proxy, and nothing else (contract §8). */
const ModelTokenSchema = defineEntity({
  name: 'ModelToken',
  tableName: 'model_tokens',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    runtimeId: p.string().columnType('text'),
    templateSlug: p.string().columnType('text').nullable(),
    /** Null: every model the proxy offers. */
    models: p.json<string[]>().columnType('json').nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    expiresAt: p.datetime(3),
    /** The session that made it; null: made by an earlier version. */
    madeBy: p.uuid().nullable(),
  },
});

export class ModelToken extends ModelTokenSchema.class {}
ModelTokenSchema.setClass(ModelToken);

/** Usage in a day. It outlives the tokens, so that bills can still be explained. */
const ModelUsageSchema = defineEntity({
  name: 'ModelUsage',
  tableName: 'model_usage',
  primaryKeys: ['userId', 'day', 'tokenId', 'model'],
  properties: {
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    day: p.date().primary(),
    /** All zeros: used with an access token. */
    tokenId: p.uuid().primary(),
    model: p.string().columnType('text').primary(),
    requests: p.bigint('number'),
    promptTokens: p.bigint('number'),
    completionTokens: p.bigint('number'),
  },
});

export class ModelUsage extends ModelUsageSchema.class {}
ModelUsageSchema.setClass(ModelUsage);

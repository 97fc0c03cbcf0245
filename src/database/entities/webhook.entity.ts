import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from './agent.entity.ts';

/** The address to which a bot is sent what it would hear on its sockets. */
const WebhookSchema = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    agentId: () => p.oneToOne(Agent).mapToPk().fieldName('agent_id').primary().deleteRule('cascade'),
    url: p.string().columnType('text'),
    /** Sealed (see SealedText), as are those before it. */
    secret: p.string().columnType('text'),
    /** One or more, newest first, separated by spaces. */
    previousSecret: p.string().columnType('text').nullable(),
    /** Until when the previous secrets sign too. */
    previousUntil: p.datetime(3).nullable(),
    /**
     * `dead`: given up after failing for too long; `gone`: the receiver answered 410; `paused`: its owner has to confirm it.
     * Nothing is sent in any of them.
     */
    state: p.string().columnType('text').$type<'active' | 'dead' | 'gone' | 'paused'>().default('active'),
    stoppedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    /** The session that set its address; null: set by an earlier version. */
    madeBy: p.uuid().nullable(),
  },
});

export class Webhook extends WebhookSchema.class {}
WebhookSchema.setClass(Webhook);

/** How far the log of one room has been delivered to a webhook. */
const WebhookCursorSchema = defineEntity({
  name: 'WebhookCursor',
  tableName: 'webhook_cursors',
  primaryKeys: ['agentId', 'streamId'],
  properties: {
    agentId: () => p.manyToOne(Webhook).mapToPk().fieldName('agent_id').primary().deleteRule('cascade').index(false),
    /** The channel, or the bot's own user. */
    streamId: p.uuid().primary(),
    kind: p.string().columnType('text').$type<'channel' | 'user'>(),
    /** Since when the bot is in the room; one that comes back starts afresh, and gets nothing from the time between. */
    enteredAt: p.datetime(3),
    /** Everything up to here was delivered, or not meant for the bot. */
    seq: p.bigint('number'),
    /** Failures in a row of the next event. */
    attempts: p.integer().default(0),
    failingSince: p.datetime(3).nullable(),
    failedAt: p.datetime(3).nullable(),
    error: p.string().columnType('text').nullable(),
    deliveredAt: p.datetime(3).nullable(),
    /** Not retried before. */
    dueAt: p.datetime(3).defaultRaw('now()'),
    /** The current lease holder; only it moves the cursor. */
    lease: p.uuid().nullable(),
    leasedUntil: p.datetime(3).nullable(),
  },
});

export class WebhookCursor extends WebhookCursorSchema.class {}
WebhookCursorSchema.setClass(WebhookCursor);

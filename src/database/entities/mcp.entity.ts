import { defineEntity, p } from '@mikro-orm/core';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/**
 * A channel that a session of the Model Context Protocol is subscribed to (contract §8). The session itself is kept nowhere:
 * its id says whose it is.
 */
const McpSubscriptionSchema = defineEntity({
  name: 'McpSubscription',
  tableName: 'mcp_subscriptions',
  primaryKeys: ['sessionId', 'channelId'],
  indexes: [{ name: 'mcp_subscriptions_seen', properties: ['seenAt'] }],
  properties: {
    sessionId: p.uuid().primary(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    /** The position in the channel's log that the session was notified up to. */
    seq: p.bigint('number'),
    /** When a stream of the session was last open, or it subscribed. */
    seenAt: p.datetime(3),
  },
});

export class McpSubscription extends McpSubscriptionSchema.class {}
McpSubscriptionSchema.setClass(McpSubscription);

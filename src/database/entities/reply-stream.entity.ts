import { defineEntity, p } from '@mikro-orm/core';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/**
 * A reply in progress, at most a second old, or one that was stopped within the last day (contract §9, Replies in progress).
 * Its thread and the message that it answers are no foreign keys: they are looked at again when it becomes a message.
 */
const ReplyStreamSchema = defineEntity({
  name: 'ReplyStream',
  tableName: 'reply_streams',
  primaryKeys: ['userId', 'channelId', 'streamId'],
  indexes: [{ name: 'reply_streams_seen', properties: ['state', 'seenAt'] }],
  properties: {
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(),
    streamId: p.string().columnType('text').primary(),
    threadId: p.uuid().nullable(),
    replyToId: p.uuid().nullable(),
    /** As JSON: a piece may end between the two halves of a character. */
    content: p.string().columnType('text'),
    /** How much of it others may see by now. */
    shown: p.integer(),
    isBroken: p.boolean(),
    /** The server makes it itself: no bot will continue it. */
    isServed: p.boolean(),
    /** `open`, `ending` until its text has become a message, `ended`. */
    state: p.string().columnType('text').default('open'),
    /** Why it ended: `stopped` or `cut`. */
    reason: p.string().columnType('text').nullable(),
    stoppedBy: () => p.manyToOne(User).mapToPk().fieldName('stopped_by').nullable().deleteRule('set null').index(),
    startedAt: p.datetime(3),
    /** When its last piece came, or it ended. */
    seenAt: p.datetime(3),
  },
});

export class ReplyStream extends ReplyStreamSchema.class {}
ReplyStreamSchema.setClass(ReplyStream);

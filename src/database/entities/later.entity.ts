import { defineEntity, p } from '@mikro-orm/core';
import type { ScheduledStatus } from '../../contract/scheduled.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/**
 * A message that someone saved, or a reminder (contract §7, Later). Its message and channel are no foreign keys: it stays,
 * as gone, when they go.
 */
const SavedItemSchema = defineEntity({
  name: 'SavedItem',
  tableName: 'saved_items',
  indexes: [
    { name: 'saved_items_of_user', properties: ['userId', 'id'] },
    {
      name: 'saved_items_message',
      expression:
        'create unique index saved_items_message on saved_items (user_id, message_id) where message_id is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    /** Null: a reminder of what its note says. */
    messageId: p.uuid().nullable(),
    channelId: p.uuid().nullable(),
    note: p.string().columnType('text').nullable(),
    remindAt: p.datetime(3).nullable(),
    /** When the person was last reminded. */
    remindedAt: p.datetime(3).nullable(),
    doneAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class SavedItem extends SavedItemSchema.class {}
SavedItemSchema.setClass(SavedItem);

/**
 * A message to be sent later (contract §7, Later). It goes when it is sent or cancelled; one that was refused stays. Its
 * channel is no foreign key: the text stays when that goes.
 */
const ScheduledMessageSchema = defineEntity({
  name: 'ScheduledMessage',
  tableName: 'scheduled_messages',
  indexes: [
    // Those of an author in a channel go out in this order.
    { name: 'scheduled_messages_lane', properties: ['userId', 'channelId', 'sendAt', 'place'] },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    channelId: p.uuid(),
    threadId: p.uuid().nullable(),
    replyToId: p.uuid().nullable(),
    content: p.string().columnType('text'),
    metadata: p.json<Record<string, unknown>>().columnType('json').nullable(),
    sendAt: p.datetime(3),
    /** Of those of one person with the same time the lower goes first; node clocks have no say in it. */
    place: p.integer(),
    status: p.string().columnType('text').$type<ScheduledStatus>().default('waiting'),
    /** How often it was taken up to be sent: whoever did so last decides what became of it. */
    marks: p.integer().default(0),
    /** The code of the error by which it was refused. */
    failure: p.string().columnType('text').nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ScheduledMessage extends ScheduledMessageSchema.class {}
ScheduledMessageSchema.setClass(ScheduledMessage);

/** What someone has begun to write in a channel, DM or thread (contract §7, Later). */
const DraftSchema = defineEntity({
  name: 'Draft',
  tableName: 'drafts',
  primaryKeys: ['userId', 'placeId'],
  properties: {
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    /** The thread, else the channel. */
    placeId: p.uuid().primary(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(),
    threadId: p.uuid().nullable(),
    replyToId: p.uuid().nullable(),
    content: p.string().columnType('text'),
    /** Uploads in their order; those that were sent meanwhile are of it no longer. */
    fileIds: p.array().columnType('uuid[]').$type<string[]>().defaultRaw(`'{}'`),
    /** Grows with each change, also across the end of a draft: the time in microseconds, or one more than before. */
    revision: p.bigint('number'),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class Draft extends DraftSchema.class {}
DraftSchema.setClass(Draft);

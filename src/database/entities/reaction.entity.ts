import { defineEntity, p } from '@mikro-orm/core';
import { Message } from './message.entity.ts';
import { User } from './user.entity.ts';

const ReactionSchema = defineEntity({
  name: 'Reaction',
  tableName: 'reactions',
  primaryKeys: ['messageId', 'emoji', 'userId'],
  indexes: [{ name: 'reactions_in_order', properties: ['messageId', 'place'] }],
  properties: {
    messageId: () =>
      p.manyToOne(Message).mapToPk().fieldName('message_id').primary().deleteRule('cascade').index(false),
    emoji: p.string().columnType('text').primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    /** 1, 2, 3, … on each message: reactions are shown in the order in which they were added. */
    place: p.integer(),
  },
});

export class Reaction extends ReactionSchema.class {}
ReactionSchema.setClass(Reaction);

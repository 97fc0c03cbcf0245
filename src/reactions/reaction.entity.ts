import { defineEntity, p } from '@mikro-orm/core';
import { User } from '../accounts/user.entity.ts';
import { Message } from '../messages/message.entity.ts';

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

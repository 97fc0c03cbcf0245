import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.entity.ts';

/** What someone says of themselves beside their presence (contract §9). Where it has ended, the row says when. */
const CustomStatusSchema = defineEntity({
  name: 'CustomStatus',
  tableName: 'custom_statuses',
  indexes: [{ name: 'custom_statuses_changed', properties: ['changedAt'] }],
  properties: {
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    emoji: p.string().columnType('text').nullable(),
    text: p.string().columnType('text').nullable(),
    until: p.datetime(3).nullable(),
    changedAt: p.datetime(3),
  },
});

export class CustomStatus extends CustomStatusSchema.class {}
CustomStatusSchema.setClass(CustomStatus);

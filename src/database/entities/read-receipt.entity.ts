import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** Someone who shows others how far they have read; without a row they do not (contract §7). */
const ReadReceiptChoiceSchema = defineEntity({
  name: 'ReadReceiptChoice',
  tableName: 'read_receipt_choices',
  properties: {
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    since: p.datetime(3).onCreate(dateNow),
  },
});

export class ReadReceiptChoice extends ReadReceiptChoiceSchema.class {}
ReadReceiptChoiceSchema.setClass(ReadReceiptChoice);

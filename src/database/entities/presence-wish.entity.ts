import { defineEntity, p } from '@mikro-orm/core';
import type { Status } from '../../contract/presence.ts';
import { User } from './user.entity.ts';

/** The status that a user shows while connected; without a row `online`. It stays until changed (contract §9). */
const PresenceWishSchema = defineEntity({
  name: 'PresenceWish',
  tableName: 'presence_wishes',
  properties: {
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    status: p.string().columnType('text').$type<Status>(),
  },
});

export class PresenceWish extends PresenceWishSchema.class {}
PresenceWishSchema.setClass(PresenceWish);

import { defineEntity, p } from '@mikro-orm/core';
import type { HookFormatName } from '../../contract/hook.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/** An address that tools post to (contract §6, Incoming webhooks). Its name and picture are those of its bot user. */
const HookSchema = defineEntity({
  name: 'Hook',
  tableName: 'hooks',
  uniques: [{ name: 'hooks_user', properties: ['userId'] }],
  properties: {
    id: p.uuid().primary(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(),
    /** The author of its messages; the row stays as long as those may. */
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    format: p.string().columnType('text').$type<'auto' | HookFormatName>().default('auto'),
    /** SHA-256 of the token in its address. */
    tokenHash: p.string().columnType('text').unique(),
    /** What its sender signs with, sealed; null: it takes what is not signed. */
    secret: p.string().columnType('text').nullable(),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('set null').index(),
    createdAt: p.datetime(3).onCreate(dateNow),
    /** To the minute. */
    lastUsedAt: p.datetime(3).nullable(),
  },
});

export class Hook extends HookSchema.class {}
HookSchema.setClass(Hook);

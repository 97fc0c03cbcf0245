import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** A code that turns a visitor into a member (contract §3, §7). */
const InviteCodeSchema = defineEntity({
  name: 'InviteCode',
  tableName: 'invite_codes',
  indexes: [{ name: 'invite_codes_maker', properties: ['createdBy', 'createdAt'] }],
  properties: {
    id: p.uuid().primary(),
    code: p.string().columnType('text').unique(),
    note: p.string().columnType('text').default(''),
    isActive: p.boolean().default(true),
    /** The operator's own code (BOOTSTRAP_INVITE_CODE) may be redeemed any number of times. */
    isReusable: p.boolean().default(false),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('cascade'),
    usedBy: () => p.manyToOne(User).mapToPk().fieldName('used_by').nullable().deleteRule('set null'),
    usedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class InviteCode extends InviteCodeSchema.class {}
InviteCodeSchema.setClass(InviteCode);

import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** Someone who is banned from the installation (contract §3); their account is suspended for as long. */
const InstanceBanSchema = defineEntity({
  name: 'InstanceBan',
  tableName: 'instance_bans',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').unique(),
    /** Told to them. */
    reason: p.string().columnType('text').nullable(),
    /** When it ends by itself; null: when it is lifted. */
    until: p.datetime(3).nullable(),
    /** The operator; null: the command line, or an account that is gone. */
    bannedBy: () => p.manyToOne(User).mapToPk().fieldName('banned_by').nullable().deleteRule('set null').index(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class InstanceBan extends InstanceBanSchema.class {}
InstanceBanSchema.setClass(InstanceBan);

/** A mailbox, or an address on the network, that makes no new accounts: a hash keyed with the JWT secret. */
const BannedAddressSchema = defineEntity({
  name: 'BannedAddress',
  tableName: 'banned_addresses',
  primaryKeys: ['hash', 'banId'],
  properties: {
    hash: p.string().columnType('text').primary(),
    banId: () => p.manyToOne(InstanceBan).mapToPk().fieldName('ban_id').primary().deleteRule('cascade').index(),
  },
});

export class BannedAddress extends BannedAddressSchema.class {}
BannedAddressSchema.setClass(BannedAddress);

import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.entity.ts';

/** A name that a person has given up: kept for them for a while, so that nobody is taken for them (contract §3). */
const FormerUsernameSchema = defineEntity({
  name: 'FormerUsername',
  tableName: 'former_usernames',
  indexes: [
    { name: 'former_usernames_key', properties: ['usernameKey'] },
    { name: 'former_usernames_look', properties: ['nameSkeleton'] },
  ],
  uniques: [{ name: 'former_usernames_user', properties: ['userId', 'usernameKey'] }],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    username: p.string().columnType('text'),
    usernameKey: p.string().columnType('text'),
    nameSkeleton: p.string().columnType('text'),
    keptUntil: p.datetime(3),
  },
});

export class FormerUsername extends FormerUsernameSchema.class {}
FormerUsernameSchema.setClass(FormerUsername);

/** A kind of device and a range of addresses from which an account was signed in to: the next time nobody is told. */
const KnownDeviceSchema = defineEntity({
  name: 'KnownDevice',
  tableName: 'known_devices',
  uniques: [{ name: 'known_devices_user', properties: ['userId', 'device', 'place'] }],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    /** Empty: its user agent says nothing. */
    device: p.string().columnType('text'),
    place: p.string().columnType('text'),
    seenAt: p.datetime(3),
  },
});

export class KnownDevice extends KnownDeviceSchema.class {}
KnownDeviceSchema.setClass(KnownDevice);

/** What the owner of an account is mailed: a sign-in from somewhere new, or a change of what lets someone in. */
const SecurityNoticeSchema = defineEntity({
  name: 'SecurityNotice',
  tableName: 'security_notices',
  indexes: [{ name: 'security_notices_user', properties: ['userId', 'mailAt'] }],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    /** The address at that time: a later one may be of whoever did it. */
    email: p.string().columnType('text'),
    kind: p.string().columnType('text'),
    detail: p.string().columnType('text').nullable(),
    device: p.string().columnType('text').nullable(),
    place: p.string().columnType('text').nullable(),
    createdAt: p.datetime(3),
    /** Notices of one account that have the same time go into one mail. */
    mailAt: p.datetime(3),
    mailedAt: p.datetime(3).nullable(),
  },
});

export class SecurityNotice extends SecurityNoticeSchema.class {}
SecurityNoticeSchema.setClass(SecurityNotice);

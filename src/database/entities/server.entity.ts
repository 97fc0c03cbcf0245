import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** A community with members, roles and channels. */
const ServerSchema = defineEntity({
  name: 'Server',
  tableName: 'servers',
  indexes: [
    {
      name: 'servers_discover',
      expression: 'create index servers_discover on servers (member_count desc, id) where is_public',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    name: p.string().columnType('text'),
    slug: p.string().columnType('text').nullable().unique(),
    description: p.string().columnType('text').nullable(),
    iconUrl: p.string().columnType('text').nullable(),
    bannerUrl: p.string().columnType('text').nullable(),
    homepageHtml: p.string().columnType('text').nullable(),
    isPublic: p.boolean().default(false),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id'),
    inviteCode: p.string().columnType('text').unique(),
    /** Updated in the transactions that add and remove members, so that lists need not count. */
    memberCount: p.integer().default(0),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
  },
});

export class Server extends ServerSchema.class {}
ServerSchema.setClass(Server);

import { defineEntity, p } from '@mikro-orm/core';
import type { PictureSize } from '../../contract/picture.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Blob } from './blob.entity.ts';
import { User } from './user.entity.ts';

/** One size of an uploaded picture. What shows it holds its address; those that nothing shows are deleted after a while. */
const PictureSchema = defineEntity({
  name: 'Picture',
  tableName: 'pictures',
  indexes: [
    { name: 'pictures_check', properties: ['checkAt'] },
    { name: 'pictures_uploader', properties: ['uploaderId'] },
  ],
  properties: {
    /** Random: whoever knows it may see the picture. */
    name: p.string().columnType('text').primary(),
    size: p.string().columnType('text').$type<PictureSize>().primary(),
    /** On whose account it is stored; null: that of another installation. */
    uploaderId: () =>
      p.manyToOne(User).mapToPk().fieldName('uploader_id').nullable().deleteRule('set null').index(false),
    blobId: () => p.manyToOne(Blob).mapToPk().fieldName('blob_id').index(),
    bytes: p.integer(),
    width: p.integer(),
    height: p.integer(),
    isAnimated: p.boolean(),
    /** The server that shows it, for what that stores; a trigger sets it. */
    serverId: p.uuid().nullable(),
    /** Whether what it stores is counted; rows from before that are counted in the background. */
    isCounted: p.boolean().default(true),
    createdAt: p.datetime(3).onCreate(dateNow),
    /** Since when nothing was seen to show it; null: something does. */
    unusedSince: p.datetime(3).nullable(),
    /** When to look at that again. */
    checkAt: p.datetime(3),
  },
});

export class Picture extends PictureSchema.class {}
PictureSchema.setClass(Picture);

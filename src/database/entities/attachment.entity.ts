import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Blob } from './blob.entity.ts';
import { Message } from './message.entity.ts';
import { User } from './user.entity.ts';

/** An uploaded file: free until it is sent with a message, then part of that one only. */
const AttachmentSchema = defineEntity({
  name: 'Attachment',
  tableName: 'attachments',
  indexes: [
    { name: 'attachments_uploaded', properties: ['uploaderId', 'size'] },
    { name: 'attachments_unsent', properties: ['uploaderId', 'createdAt'], where: { messageId: null } },
    { name: 'attachments_expiring', properties: ['createdAt'], where: { messageId: null } },
  ],
  properties: {
    id: p.uuid().primary(),
    uploaderId: () => p.manyToOne(User).mapToPk().fieldName('uploader_id').index(false),
    messageId: () => p.manyToOne(Message).mapToPk().fieldName('message_id').nullable().deleteRule('set null').index(),
    /** Its position among the attachments of its message. */
    place: p.integer().default(0),
    blobId: () => p.manyToOne(Blob).mapToPk().fieldName('blob_id').index(),
    filename: p.string().columnType('text'),
    contentType: p.string().columnType('text'),
    /** Bytes. */
    size: p.bigint('number'),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class Attachment extends AttachmentSchema.class {}
AttachmentSchema.setClass(Attachment);

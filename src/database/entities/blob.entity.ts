import { defineEntity, p } from '@mikro-orm/core';

/**
 * A content, stored once for all its references. References are foreign keys to this table: the collector goes by
 * those, and the database refuses to delete a blob while one exists.
 */
const BlobSchema = defineEntity({
  name: 'Blob',
  tableName: 'blobs',
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 in hex; null while it is still being written. */
    hash: p.string().columnType('text').nullable().unique(),
    size: p.bigint('number').default(0),
    /** The size of all chunks but the last. */
    chunkSize: p.integer(),
    /** When it lost its last known reference; null: it has one. */
    unusedSince: p.datetime(3).nullable(),
    /** The object in the bucket that holds it; null: it is in the chunks. */
    objectId: p.uuid().nullable().unique(),
    /** Whether what it stores is counted; rows from before that are counted in the background. */
    isCounted: p.boolean().default(true),
  },
});

export class Blob extends BlobSchema.class {}
BlobSchema.setClass(Blob);

const BlobChunkSchema = defineEntity({
  name: 'BlobChunk',
  tableName: 'blob_chunks',
  properties: {
    blobId: () => p.manyToOne(Blob).mapToPk().fieldName('blob_id').primary().deleteRule('cascade').index(false),
    position: p.integer().primary(),
    data: p.blob(),
  },
});

export class BlobChunk extends BlobChunkSchema.class {}
BlobChunkSchema.setClass(BlobChunk);

/** An object in the bucket that no blob refers to: it is being uploaded, or has to be deleted. */
const LooseObjectSchema = defineEntity({
  name: 'LooseObject',
  tableName: 'loose_objects',
  properties: {
    id: p.uuid().primary(),
    /** The upload in parts that makes it; null: there is none yet. */
    uploadId: p.string().columnType('text').nullable(),
    /** When its upload was last heard of, or its blob deleted. */
    since: p.datetime(3).defaultRaw('now()'),
    /** Whether it is being deleted: no blob may refer to it any more. */
    removing: p.boolean().default(false),
  },
});

export class LooseObject extends LooseObjectSchema.class {}
LooseObjectSchema.setClass(LooseObject);

import { defineEntity, p } from '@mikro-orm/core';

/**
 * A content that is kept once, whoever refers to it. What uses one has a foreign key to this table: the collector goes
 * by those keys, and the database does not let go of a blob while one points at it.
 */
const BlobSchema = defineEntity({
  name: 'Blob',
  tableName: 'blobs',
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 in hex; null while it is still being written. */
    hash: p.string().columnType('text').nullable().unique(),
    size: p.bigint('number').default(0),
    /** All chunks but the last have so many bytes. */
    chunkSize: p.integer(),
    /** Since when nothing is known to refer to it; null: something does. */
    unusedSince: p.datetime(3).nullable(),
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

import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';

/**
 * What a person or bot, a server, or the installation (the nil id) has stored of a kind, but for the newest changes. Its
 * subject is no foreign key: bytes are counted where nothing may wait for the row of a user.
 */
const StorageUsageSchema = defineEntity({
  name: 'StorageUsage',
  tableName: 'storage_usage',
  primaryKeys: ['subjectId', 'kind'],
  properties: {
    subjectId: p.uuid().primary(),
    kind: p.string().columnType('text').primary(),
    bytes: p.bigint('number').default(0),
    files: p.bigint('number').default(0),
    /** What was deleted in the period that began then, and may be in the store still. */
    goneBytes: p.bigint('number').default(0),
    goneSince: p.datetime(3).nullable(),
  },
});

export class StorageUsage extends StorageUsageSchema.class {}
StorageUsageSchema.setClass(StorageUsage);

/** What came or went since; written by triggers alone, in the transactions of those changes. */
const StorageChangeSchema = defineEntity({
  name: 'StorageChange',
  tableName: 'storage_changes',
  indexes: [{ name: 'storage_changes_subject', properties: ['subjectId'] }],
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    subjectId: p.uuid(),
    kind: p.string().columnType('text'),
    bytes: p.bigint('number'),
    files: p.bigint('number'),
  },
});

export class StorageChange extends StorageChangeSchema.class {}
StorageChangeSchema.setClass(StorageChange);

/** How much an operator allows one person, server, or the installation, in place of what the settings say. */
const StorageQuotaSchema = defineEntity({
  name: 'StorageQuota',
  tableName: 'storage_quotas',
  properties: {
    subjectId: p.uuid().primary(),
    bytes: p.bigint('number'),
    setAt: p.datetime(3).onCreate(dateNow).defaultRaw('now()'),
  },
});

export class StorageQuota extends StorageQuotaSchema.class {}
StorageQuotaSchema.setClass(StorageQuota);

/** A table of which some rows, from before bytes were counted, may not be counted yet. */
const StorageBackfillSchema = defineEntity({
  name: 'StorageBackfill',
  tableName: 'storage_backfills',
  properties: {
    /** The name of the table. */
    counted: p.string().columnType('text').primary(),
    /** Up to which key they are. */
    reached: p.string().columnType('text').default(''),
  },
});

export class StorageBackfill extends StorageBackfillSchema.class {}
StorageBackfillSchema.setClass(StorageBackfill);

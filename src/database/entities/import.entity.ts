import { defineEntity, p } from '@mikro-orm/core';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** An export of another product that an operator takes over, or has taken over (docs/moving.md). */
const ImportSchema = defineEntity({
  name: 'Import',
  tableName: 'imports',
  indexes: [
    { name: 'imports_fingerprint', properties: ['fingerprint'] },
    {
      // One run takes an export over.
      name: 'imports_unfinished',
      expression: 'create unique index imports_unfinished on imports (product, fingerprint) where finished_at is null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    product: p.string().columnType('text'),
    /** A hash of what the export consists of: the same one is continued, and not taken over twice. */
    fingerprint: p.string().columnType('text'),
    /** Null until it is written: a new server is created then. */
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').nullable().deleteRule('cascade').index(),
    /** What the operator chose as it began. */
    choices: p.json<unknown>().columnType('json'),
    /** What was found in the export. */
    report: p.json<unknown>().columnType('json'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
  },
});

export class Import extends ImportSchema.class {}
ImportSchema.setClass(Import);

/** What was read of an export and is not written yet; nothing is left of it once the import is done. */
const ImportRecordSchema = defineEntity({
  name: 'ImportRecord',
  tableName: 'import_records',
  primaryKeys: ['importId', 'kind', 'key'],
  indexes: [
    {
      name: 'import_records_in_order',
      expression: `create index import_records_in_order on import_records (import_id, channel, at, place) where kind = 'message'`,
    },
    {
      name: 'import_records_of_channel',
      expression: `create index import_records_of_channel on import_records (import_id, channel, kind, key) where kind in ('thread', 'membership')`,
    },
  ],
  properties: {
    importId: () => p.manyToOne(Import).mapToPk().fieldName('import_id').primary().deleteRule('cascade').index(false),
    kind: p.string().columnType('text').primary(),
    /** How the other product names it. */
    key: p.string().columnType('text').primary(),
    /** The channel of a message, thread or membership, by its key. */
    channel: p.string().columnType('text').nullable(),
    /** When it was sent, in ms since 1970. */
    at: p.bigint('number').default(0),
    /** Its position in the export, for those of the same moment. */
    place: p.bigint('number').default(0),
    data: p.json<unknown>().columnType('json'),
  },
});

export class ImportRecord extends ImportRecordSchema.class {}
ImportRecordSchema.setClass(ImportRecord);

/** Who someone of an export is here: an account that was there, or a placeholder that waits to be claimed. */
const ImportPersonSchema = defineEntity({
  name: 'ImportPerson',
  tableName: 'import_people',
  primaryKeys: ['importId', 'key'],
  properties: {
    importId: () => p.manyToOne(Import).mapToPk().fieldName('import_id').primary().deleteRule('cascade').index(false),
    key: p.string().columnType('text').primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    isPlaceholder: p.boolean(),
    /** The account that had the same address, and did not become the author. */
    candidateId: p.uuid().nullable(),
  },
});

export class ImportPerson extends ImportPersonSchema.class {}
ImportPersonSchema.setClass(ImportPerson);

/** A channel of an export, and how far it is written. */
const ImportChannelSchema = defineEntity({
  name: 'ImportChannel',
  tableName: 'import_channels',
  primaryKeys: ['importId', 'key'],
  properties: {
    importId: () => p.manyToOne(Import).mapToPk().fieldName('import_id').primary().deleteRule('cascade').index(false),
    key: p.string().columnType('text').primary(),
    /** It exists once all its messages do. */
    channelId: p.uuid(),
    name: p.string().columnType('text'),
    state: p.string().columnType('text').$type<'writing' | 'written' | 'told'>().default('writing'),
    /** The last message that was written, and its number. */
    lastAt: p.bigint('number').default(-1),
    lastPlace: p.bigint('number').default(-1),
    lastSeq: p.bigint('number').default(0),
  },
});

export class ImportChannel extends ImportChannelSchema.class {}
ImportChannelSchema.setClass(ImportChannel);

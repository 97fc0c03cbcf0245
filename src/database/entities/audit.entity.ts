import { defineEntity, p } from '@mikro-orm/core';
import type { AuditTargetKind } from '../../contract/audit-action.ts';

/**
 * Who did what to whom (contract §5, Audit log). It refers to nothing: entries outlive what they are about, and no one
 * changes them. Of people they have ids alone.
 */
const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  indexes: [
    { name: 'audit_entries_server', properties: ['serverId', 'id'] },
    { name: 'audit_entries_actor', properties: ['serverId', 'actorId', 'id'] },
    { name: 'audit_entries_target', properties: ['serverId', 'targetId', 'id'] },
    { name: 'audit_entries_channel', properties: ['serverId', 'channelId', 'id'] },
    { name: 'audit_entries_action', properties: ['serverId', 'action', 'id'] },
  ],
  properties: {
    /** In the order in which they were written. */
    id: p.uuid().primary(),
    /** Null: of the installation. */
    serverId: p.uuid().nullable(),
    channelId: p.uuid().nullable(),
    action: p.string().columnType('text'),
    source: p.string().columnType('text').$type<'user' | 'cli' | 'system'>(),
    /** Null: of another source than a user. */
    actorId: p.uuid().nullable(),
    tokenKind: p.string().columnType('text').$type<'session' | 'personal' | 'agent'>().nullable(),
    tokenId: p.uuid().nullable(),
    targetKind: p.string().columnType('text').$type<AuditTargetKind>().nullable(),
    targetId: p.uuid().nullable(),
    /** The name of a thing as it was; null for people. */
    targetLabel: p.string().columnType('text').nullable(),
    before: p.json<Record<string, unknown>>().columnType('json').nullable(),
    after: p.json<Record<string, unknown>>().columnType('json').nullable(),
    reason: p.string().columnType('text').nullable(),
    createdAt: p.datetime(3),
  },
});

export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);

import type { z } from 'zod';
import type { SmallUser } from '../../contract/actor.ts';
import type { auditEntrySchema } from '../../contract/audit.ts';
import {
  categoryCreate,
  categoryDelete,
  categoryOrder,
  categoryUpdate,
  channelOrder,
} from '../../contract/channel-actions.ts';
import { inviteCreate } from '../../contract/invite-actions.ts';
import { isoTime } from '../../contract/schema.ts';
import type { AuditFound } from './audit.table.ts';

export type AuditRecord = z.output<typeof auditEntrySchema>;

/** The record of an entry; people are called what they are called now. */
export function auditRecord(row: AuditFound): AuditRecord {
  const { actorId, targetId, targetKind, tokenKind } = row;
  return {
    id: row.id,
    serverId: row.serverId ?? null,
    channelId: row.channelId ?? null,
    channelName: row.channelName ?? null,
    action: row.action,
    source: row.source,
    actor: person(actorId, row),
    token: tokenKind ? { kind: tokenKind, id: row.tokenId ?? null, name: row.tokenName ?? null } : null,
    target: targetKind
      ? { kind: targetKind, id: targetId ?? null, label: row.targetLabel ?? null, user: targetOf(row) }
      : null,
    before: row.before ?? null,
    after: row.after ?? null,
    reason: row.reason ?? null,
    createdAt: isoTime(row.createdAt),
  };
}

/** Fields of entries of the whole server that name channels, or categories, of which not everyone knows either. */
const channelFields: Record<string, string> = {
  [channelOrder.name]: 'order',
  [inviteCreate.name]: 'channelId',
  [categoryOrder.name]: 'order',
  [categoryCreate.name]: 'name',
  [categoryUpdate.name]: 'name',
  [categoryDelete.name]: 'name',
};

/** The record for those who may not know of all channels. */
export function limitedRecord(row: AuditFound): AuditRecord {
  const record = auditRecord(row);
  const field = channelFields[row.action];
  if (field === undefined) return record;
  const target = record.target?.kind === 'category' ? { ...record.target, label: null } : record.target;
  return { ...record, target, before: without(record.before, field), after: without(record.after, field) };
}

function without(fields: AuditRecord['before'], name: string): AuditRecord['before'] {
  const rest = Object.entries(fields ?? {}).filter(([field]) => field !== name);
  return rest.length > 0 ? Object.fromEntries(rest) : null;
}

type Named = { [K in 'username' | 'displayName' | 'avatarUrl']?: string | null } & { isBot?: boolean | null };

/** Someone whose row is no longer there is shown like those whose account was deleted. */
function person(id: string | null | undefined, named: Named): SmallUser | null {
  if (!id) return null;
  const { username, displayName, avatarUrl = null, isBot } = named;
  return {
    id,
    username: username ?? `deleted-${id.replaceAll('-', '').slice(-20)}`,
    displayName: displayName ?? 'Deleted user',
    avatarUrl,
    isBot: isBot ?? false,
  };
}

function targetOf(row: AuditFound): SmallUser | null {
  if (row.targetKind !== 'user') return null;
  const { targetUsername: username, targetDisplayName: displayName, targetAvatarUrl: avatarUrl } = row;
  return person(row.targetId, { username, displayName, avatarUrl, isBot: row.targetIsBot });
}

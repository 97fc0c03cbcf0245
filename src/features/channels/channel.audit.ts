import type { Actor } from '../../contract/actor.ts';
import type { AuditAction } from '../../contract/audit-action.ts';
import type { Change } from '../../delivery/changes.ts';

interface Audited {
  id: string;
  serverId?: string | null;
  name: string;
}

/** Writes down what was done to a channel. @param values what it was and became */
export function auditChannel(
  change: Change,
  action: AuditAction,
  actor: Actor,
  { id, serverId = null, name }: Audited,
  values: { before?: Record<string, unknown> | null; after?: object } = {},
): void {
  const { before = null, after } = values;
  const target = { kind: 'channel', id, label: name } as const;
  change.audit(action, { actor, serverId, channelId: id, target, before, after: after ? { ...after } : null });
}

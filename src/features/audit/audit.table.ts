import { sql } from 'kysely';
import type { z } from 'zod';
import type { auditFilterSchema } from '../../contract/audit.ts';
import type { Queries, Rows } from '../../database/database.ts';
import { selectKnowsPlace } from '../../delivery/audit.ts';
import { leastIdAt } from '../../infrastructure/ids.ts';

export type AuditFilter = z.output<typeof auditFilterSchema>;

/** Ids are made before the transaction is stamped, on nodes whose clocks differ a little. */
const marginMs = 60_000;

/** Entries of a server, or of the installation (null), newest first, with how things and people are called now. */
function entriesOf(db: Queries, serverId: string | null, filter: AuditFilter) {
  const { actorId, action, targetId, channelId, after, before } = filter;
  let found = db.selectFrom('AuditEntry as e').where('e.serverId', serverId === null ? 'is' : '=', serverId);
  if (actorId !== undefined) found = found.where('e.actorId', '=', actorId);
  if (targetId !== undefined) found = found.where('e.targetId', '=', targetId);
  if (channelId !== undefined) found = found.where('e.channelId', '=', channelId);
  if (action?.endsWith('.*')) {
    // As text in the order of its bytes, which an index has: `/` follows `.`.
    const kind = action.slice(0, -2);
    found = found.where('e.action', '>=', `${kind}.`).where('e.action', '<', `${kind}/`);
  } else if (action !== undefined) found = found.where('e.action', '=', action);
  if (after !== undefined) {
    const time = new Date(after);
    found = found.where('e.id', '>=', leastIdAt(time.getTime() - marginMs)).where('e.createdAt', '>=', time);
  }
  if (before !== undefined) {
    const time = new Date(before);
    found = found.where('e.id', '<', leastIdAt(time.getTime() + marginMs)).where('e.createdAt', '<', time);
  }
  return found;
}

/** Of a member, those of channels that they may know of. */
const seenBy = (reader: string) => sql<boolean>`EXISTS (SELECT FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = e.server_id AND m.user_id = ${reader} AND ${sql.raw(selectKnowsPlace('e.channel_id'))})`;

/** @param cursor the id of the last entry of the page before. @param reader a member; null: who sees all of it */
export function auditPage(
  db: Queries,
  serverId: string | null,
  filter: AuditFilter,
  { cursor, limit, reader }: { cursor: string | null; limit: number; reader: string | null },
) {
  const all = entriesOf(db, serverId, filter);
  const found = reader === null ? all : all.where(seenBy(reader));
  return (cursor === null ? found : found.where('e.id', '<', cursor))
    .leftJoin('User as u', 'u.id', 'e.actorId')
    .leftJoin('User as t', (join) => join.onRef('t.id', '=', 'e.targetId').on('e.targetKind', '=', 'user'))
    .leftJoin('Channel as c', (join) => join.onRef('c.id', '=', 'e.channelId').on('c.deletedAt', 'is', null))
    .leftJoin('PersonalToken as p', (join) => join.onRef('p.id', '=', 'e.tokenId').on('e.tokenKind', '=', 'personal'))
    .orderBy('e.id', 'desc')
    .limit(limit)
    .select(['e.id', 'e.serverId', 'e.channelId', 'c.name as channelName', 'e.action', 'e.source'])
    .select(['e.actorId', 'u.username', 'u.displayName', 'u.avatarUrl', 'u.isBot'])
    .select(['e.tokenKind', 'e.tokenId', 'p.name as tokenName', 'e.targetKind', 'e.targetId', 'e.targetLabel'])
    .select(['t.username as targetUsername', 't.displayName as targetDisplayName'])
    .select(['t.avatarUrl as targetAvatarUrl', 't.isBot as targetIsBot'])
    .select(['e.before', 'e.after', 'e.reason', 'e.createdAt'])
    .$narrowType<{ before: Record<string, unknown> | null; after: Record<string, unknown> | null }>()
    .execute();
}

export type AuditFound = Awaited<ReturnType<typeof auditPage>>[number];

const deletes = `WITH gone AS (
    DELETE FROM audit_entries WHERE id IN (
      SELECT id FROM audit_entries WHERE id < $1 ORDER BY id LIMIT $3
    ) AND created_at < now() - make_interval(days => $2) RETURNING id
  ) SELECT count(*)::int AS count FROM gone`;

/** Deletes some of the entries that are older than so many days. @returns how many */
export async function forgetAudit(rows: Rows, days: number, nowMs: number, most: number): Promise<number> {
  // The table refuses to lose younger ones (see the migration 0146-audit-log).
  await rows(`SELECT set_config('parley.audit_keep_days', $1, true)`, [String(days)]);
  const oldest = leastIdAt(nowMs - days * 86_400_000 - marginMs);
  const [gone] = await rows<{ count: number }>(deletes, [oldest, days, most]);
  return gone?.count ?? 0;
}

import type { z } from 'zod';
import { usersByIds } from '../../access/user.table.ts';
import type { handoverSchema } from '../../contract/handover.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Queries, Rows } from '../../database/database.ts';
import type { Handover } from '../../database/entities/handover.entity.ts';

export type HandoverRecord = z.input<typeof handoverSchema>;

/** Offers as their two people see them, in the given order. Those of something that is gone by now are left out. */
export async function handoverRecords(
  { db, rows }: { db: Queries; rows: Rows },
  handovers: Handover[],
): Promise<HandoverRecord[]> {
  if (handovers.length === 0) return [];
  const ids = handovers.map(({ id }) => id);
  const named = await db
    .selectFrom('Handover as h')
    .leftJoin('Server as s', 's.id', 'h.serverId')
    .leftJoin('Agent as a', 'a.id', 'h.agentId')
    .leftJoin('User as b', 'b.id', 'a.userId')
    .where('h.id', 'in', ids)
    .select(['h.id', 's.name', 'b.displayName'])
    .execute();
  const names = new Map(named.map(({ id, name, displayName }) => [id, name ?? displayName ?? '']));
  const users = await usersByIds(rows, [...new Set(handovers.flatMap(({ fromId, toId }) => [fromId, toId]))]);
  return handovers.flatMap((one) => {
    const [name, from, to] = [names.get(one.id), users.get(one.fromId), users.get(one.toId)];
    if (name === undefined || !from || !to) return [];
    const { id, serverId = null, agentId = null } = one;
    const times = { createdAt: isoTime(one.createdAt), expiresAt: isoTime(one.expiresAt) };
    return [{ id, kind: serverId === null ? 'agent' : 'server', serverId, agentId, name, from, to, ...times }];
  });
}

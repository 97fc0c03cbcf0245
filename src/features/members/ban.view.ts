import type { z } from 'zod';
import type { SmallUser } from '../../contract/actor.ts';
import type { banSchema } from '../../contract/ban.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { ServerBan } from '../../database/entities/server.entity.ts';

export type BanRecord = z.output<typeof banSchema>;

/** @param by who banned the user; null: their account is gone */
export function banRecord(ban: ServerBan, user: SmallUser, by: SmallUser | null): BanRecord {
  const { id, serverId, userId, bannedBy, reason, until, createdAt } = ban;
  return {
    id,
    serverId,
    userId,
    user,
    bannedBy: bannedBy ?? null,
    bannedByUser: by,
    reason: reason ?? null,
    until: isoTimeOrNull(until),
    createdAt: isoTime(createdAt),
  };
}

import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { serverInviteSchema } from '../../contract/server-invite.ts';
import { type UserColumnsOrNull, userOrNull } from '../accounts/account.view.ts';

/** A row of `server_invites` with its maker. */
export interface ServerInviteRow extends UserColumnsOrNull {
  id: string;
  server_id: string;
  code: string;
  channel_id: string | null;
  channel_is_open: boolean;
  created_by: string | null;
  max_uses: number | null;
  uses: number;
  expires_at: Date | string | null;
  revoked_at: Date | string | null;
  created_at: Date | string;
  is_open: boolean;
}

export type ServerInviteRecord = z.output<typeof serverInviteSchema>;

/** A link as its maker sees it, or others who manage links: those see no channel that not everyone sees. */
export function serverInviteRecord(row: ServerInviteRow, viewerId: string): ServerInviteRecord {
  const { created_by: createdBy } = row;
  return {
    id: row.id,
    serverId: row.server_id,
    inviteCode: row.code,
    channelId: row.channel_is_open || createdBy === viewerId ? row.channel_id : null,
    createdBy,
    createdByUser: userOrNull(createdBy, row),
    maxUses: row.max_uses,
    uses: row.uses,
    expiresAt: isoTimeOrNull(row.expires_at),
    revokedAt: isoTimeOrNull(row.revoked_at),
    isOpen: row.is_open,
    createdAt: isoTime(row.created_at),
  };
}

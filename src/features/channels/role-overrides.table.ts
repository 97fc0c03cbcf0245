import type { ChannelRight } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';

/** What a channel allows or denies a role. */
export interface RoleOverride {
  channelId: string;
  allow: ChannelRight[];
  deny: ChannelRight[];
}

const ofRole = `SELECT o.channel_id AS "channelId", o.allow, o.deny FROM channel_overrides o
  JOIN channels c ON c.id = o.channel_id AND c.server_id = $1 AND c.deleted_at IS NULL
  WHERE o.role_id = $2 OR o.built_in = $3 ORDER BY o.channel_id`;

/** The overrides of a role of the server's own, by its id, or of a fixed one. */
export function overridesOf(
  rows: Rows,
  serverId: string,
  role: { id: string } | { builtIn: 'moderator' },
): Promise<RoleOverride[]> {
  const values = 'id' in role ? [role.id, null] : [null, role.builtIn];
  return rows<RoleOverride>(ofRole, [serverId, ...values]);
}

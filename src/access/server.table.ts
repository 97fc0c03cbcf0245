import { isUuid } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import { selectIsHeldBack, selectOwnRoles } from './rights.table.ts';
import type { MembershipFacts, ServerInfo } from './server.access.ts';

const info = 'SELECT id, is_public AS "isPublic", owner_id AS "ownerId" FROM servers';
const byId = `${info} WHERE id = $1`;
const bySlug = `${info} WHERE slug = $1`;
/** The timeout that holds a seat `m`: of its user, or of the owner of a bot that the server does not keep. */
const timeout = `LEFT JOIN LATERAL (SELECT t.until, t.reason FROM server_timeouts t
    WHERE t.server_id = m.server_id AND t.until > now() AND t.user_id = ANY(ARRAY[m.user_id,
      CASE WHEN NOT m.kept THEN (SELECT a.owner_id FROM agents a WHERE a.user_id = m.user_id) END])
    ORDER BY t.until DESC LIMIT 1) AS timeout ON true`;
const memberships = `SELECT key, role, role_ids AS "roleIds", is_held_back AS "isHeldBack", workspace_write AS "workspaceWrite",
    timed_out_until AS "timedOutUntil", timeout_reason AS "timeoutReason"
  FROM unnest($1::text[]) AS key CROSS JOIN LATERAL (
    SELECT m.role, ${selectOwnRoles} AS role_ids, ${selectIsHeldBack} AS is_held_back, m.workspace_write,
      (extract(epoch FROM timeout.until) * 1000)::float8 AS timed_out_until, timeout.reason AS timeout_reason
    FROM server_members m ${timeout}
    WHERE m.server_id = split_part(key, ':', 1)::uuid AND m.user_id = split_part(key, ':', 2)::uuid LIMIT 1) AS seat`;

export async function readServer(rows: Rows, idOrSlug: string): Promise<ServerInfo | undefined> {
  const [server] = await rows<ServerInfo>(isUuid(idOrSlug) ? byId : bySlug, [idOrSlug]);
  return server;
}

/** @param keys `<server>:<user>` */
export async function readMemberships(rows: Rows, keys: string[]): Promise<Map<string, MembershipFacts>> {
  const found = await rows<MembershipFacts & { key: string }>(memberships, [keys]);
  return new Map(found.map(({ key, ...facts }) => [key, facts]));
}

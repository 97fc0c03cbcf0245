import { isUuid } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import type { ServerInfo, ServerMembership } from './server.access.ts';

const info = 'SELECT id, is_public AS "isPublic", owner_id AS "ownerId" FROM servers';
const byId = `${info} WHERE id = $1`;
const bySlug = `${info} WHERE slug = $1`;
const memberships = `SELECT key, role, workspace_write AS "workspaceWrite" FROM unnest($1::text[]) AS key CROSS JOIN LATERAL (
    SELECT role, workspace_write FROM server_members
    WHERE server_id = split_part(key, ':', 1)::uuid AND user_id = split_part(key, ':', 2)::uuid LIMIT 1) AS seat`;

export async function readServer(rows: Rows, idOrSlug: string): Promise<ServerInfo | undefined> {
  const [server] = await rows<ServerInfo>(isUuid(idOrSlug) ? byId : bySlug, [idOrSlug]);
  return server;
}

/** @param keys `<server>:<user>` */
export async function readMemberships(rows: Rows, keys: string[]): Promise<Map<string, ServerMembership>> {
  const found = await rows<ServerMembership & { key: string }>(memberships, [keys]);
  return new Map(found.map(({ key, role, workspaceWrite }) => [key, { role, workspaceWrite }]));
}

import { selectMayKnow } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';
import type { CategoryRow } from './category.view.ts';

/** $2 a member $3 who is shown all of them; the others see those with a channel that they may know of. */
const ofServer = `SELECT g.id, g.server_id AS "serverId", g.name, g.position, g.created_at AS "createdAt",
    g.updated_at AS "updatedAt"
  FROM channel_categories g WHERE g.server_id = $1 AND ($3::boolean OR EXISTS (
    SELECT FROM server_members m JOIN channels c ON c.category_id = g.id AND c.deleted_at IS NULL AND NOT c.is_archived
    WHERE m.server_id = $1 AND m.user_id = $2 AND ${selectMayKnow}))
  ORDER BY g.position, g.created_at, g.id`;

/** The categories of a server that a member may know of, in their order. */
export function readCategories(rows: Rows, serverId: string, userId: string, all: boolean): Promise<CategoryRow[]> {
  return rows<CategoryRow>(ofServer, [serverId, userId, all]);
}

import { AppError } from '../../contract/errors.ts';
import type { Role } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';

/**
 * Serializes joins, leaves, bans and transfers of one server until the commit. Whoever is let in is locked before.
 * @throws AppError SERVER_NOT_FOUND
 */
export async function lockServer(rows: Rows, serverId: string): Promise<void> {
  const held = await rows('SELECT id FROM servers WHERE id = $1 FOR NO KEY UPDATE', [serverId]);
  if (held.length === 0) throw new AppError('SERVER_NOT_FOUND');
}

/** The same, with the current roles of these members. Ordered by id, so that concurrent changes do not deadlock. */
export async function lockMembers(rows: Rows, serverId: string, userIds: string[]): Promise<Map<string, Role>> {
  await rows('SELECT id FROM servers WHERE id = $1 FOR NO KEY UPDATE', [serverId]);
  const locked = await rows<{ user_id: string; role: Role }>(
    'SELECT user_id, role FROM server_members WHERE server_id = $1 AND user_id = ANY($2::uuid[]) ORDER BY user_id FOR UPDATE',
    [serverId, userIds],
  );
  return new Map(locked.map(({ user_id, role }) => [user_id, role]));
}

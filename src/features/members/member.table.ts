import type { SmallUser } from '../../contract/actor.ts';
import type { Rows } from '../../database/database.ts';
import type { MemberRow } from './server.view.ts';

const agentColumn = `(SELECT json_build_object('id', a.id, 'owner', a.owner_id, 'status', a.status,
    'beat', a.last_heartbeat) FROM agents a WHERE u.is_bot AND a.user_id = u.id) AS agent`;

/** The user `u` in a member record. */
export const userColumns = `u.username, u.display_name, u.avatar_url, u.is_bot, ${agentColumn}`;

const timeoutColumn = `(SELECT json_build_object('until', t.until, 'reason', t.reason) FROM server_timeouts t
    WHERE t.server_id = m.server_id AND t.user_id = m.user_id AND t.until > now()) AS timeout`;

export const memberColumns = `m.server_id, m.user_id, m.role, m.nickname, m.joined_at, m.kept,
  m.workspace_write, ARRAY(SELECT h.role_id::text FROM member_roles h
    WHERE h.server_id = m.server_id AND h.user_id = m.user_id ORDER BY h.role_id) AS roles, ${timeoutColumn}, ${userColumns}`;

const members = `SELECT ${memberColumns}, m.invite_id, m.invited_by FROM server_members m JOIN users u ON u.id = m.user_id WHERE m.server_id = $1`;
const page = `${members} AND m.user_id > $2 ORDER BY m.user_id LIMIT $3`;
const one = `${members} AND m.user_id = $2`;
const brought = `SELECT ${memberColumns}, m.invite_id, m.invited_by FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.invite_id = $1 AND m.user_id > $2 ORDER BY m.user_id LIMIT $3`;
const letIn = `SELECT ${memberColumns}, m.invite_id, m.invited_by
  FROM server_raids r JOIN server_members m ON m.server_id = r.server_id AND m.joined_at >= r.since
    JOIN users u ON u.id = m.user_id
  WHERE r.server_id = $1 AND NOT u.is_bot AND m.role = 'member' AND NOT EXISTS (SELECT FROM join_requests j
    WHERE j.server_id = m.server_id AND j.user_id = m.user_id AND j.channel_id IS NULL
      AND j.status = 'approved' AND j.decided_by IS NOT NULL)
  ORDER BY m.joined_at DESC, m.user_id LIMIT $2`;
const botsOf = `SELECT u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.is_bot AS "isBot"
  FROM server_members m JOIN agents a ON a.user_id = m.user_id JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND a.owner_id = $2 AND NOT m.kept ORDER BY u.id`;
const drop = `DELETE FROM channel_members USING channels
  WHERE channels.id = channel_members.channel_id AND channels.server_id = $1 AND channel_members.user_id = $2
  RETURNING channel_members.channel_id AS id`;

/** The members who joined with a link, by id. */
export function readBrought(rows: Rows, inviteId: string, after: string, limit: number): Promise<MemberRow[]> {
  return rows<MemberRow>(brought, [inviteId, after, limit]);
}

/** Those who got in since raid mode is on and whom nobody approved, newest first. */
export function readLetIn(rows: Rows, serverId: string, limit: number): Promise<MemberRow[]> {
  return rows<MemberRow>(letIn, [serverId, limit]);
}

/** The bots of someone in a server, except those that it keeps. */
export function readBotsOf(rows: Rows, serverId: string, ownerId: string): Promise<SmallUser[]> {
  return rows<SmallUser>(botsOf, [serverId, ownerId]);
}

/** Removes what a user has in the channels of a server. @returns the channels that they had an entry in */
export async function dropEntries(rows: Rows, serverId: string, userId: string): Promise<string[]> {
  return (await rows<{ id: string }>(drop, [serverId, userId])).map(({ id }) => id);
}

/** The members of a server by id. */
export function readMembers(rows: Rows, serverId: string, after: string, limit: number): Promise<MemberRow[]> {
  return rows<MemberRow>(page, [serverId, after, limit]);
}

export async function readMember(rows: Rows, serverId: string, userId: string): Promise<MemberRow | undefined> {
  const [member] = await rows<MemberRow>(one, [serverId, userId]);
  return member;
}

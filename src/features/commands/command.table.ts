import type { SmallUser } from '../../contract/actor.ts';
import type { Rows } from '../../database/database.ts';

const users = `SELECT u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.is_bot AS "isBot"
  FROM users u WHERE u.id = ANY($1::uuid[]) AND u.deleted_at IS NULL AND CASE WHEN $2::uuid IS NULL
    THEN EXISTS (SELECT FROM channel_members m WHERE m.channel_id = $3 AND m.user_id = u.id AND NOT m.excluded)
    ELSE EXISTS (SELECT FROM server_members m WHERE m.server_id = $2 AND m.user_id = u.id) END`;

/** Those of some users who are in the server of a channel, or in a direct message itself. */
export function usersAround(
  rows: Rows,
  userIds: string[],
  { id, serverId }: { id: string; serverId: string | null },
): Promise<SmallUser[]> {
  return rows<SmallUser>(users, [userIds, serverId, id]);
}

const channelsOf = `SELECT c.id FROM channel_members m JOIN channels c ON c.id = m.channel_id
  WHERE m.user_id = $1 AND NOT m.excluded AND c.server_id = $2 AND c.deleted_at IS NULL AND NOT c.is_archived
  ORDER BY c.id LIMIT $3`;

/** Some open channels of a server that a bot is in. */
export async function channelsOfBot(rows: Rows, botUserId: string, serverId: string, limit: number): Promise<string[]> {
  return (await rows<{ id: string }>(channelsOf, [botUserId, serverId, limit])).map(({ id }) => id);
}

const holders = `INSERT INTO command_rule_holders (id, rule_id, role_id, user_id)
  SELECT gen_random_uuid(), $1, role_id, user_id FROM unnest($2::uuid[], $3::uuid[]) AS holder (role_id, user_id)`;
const place = `INSERT INTO command_rules (id, server_id, agent_id, command, moderators) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (server_id, agent_id, command) DO UPDATE SET moderators = excluded.moderators RETURNING id`;
const clear = 'DELETE FROM command_rule_holders WHERE rule_id = $1';
const drop = 'DELETE FROM command_rules WHERE server_id = $1 AND agent_id = $2 AND command = $3 RETURNING id';
const dropOthers = `DELETE FROM command_rules WHERE server_id = $1 AND agent_id = $2 AND NOT command = ANY($3::text[])`;

/** What a rule is about. */
export interface RulePlace {
  serverId: string;
  agentId: string;
  command: string;
}

/** Whom it lets use the command. */
interface RuleContent {
  moderators: boolean;
  roleIds: string[];
  userIds: string[];
}

/** Replaces a rule. The agent must be locked. */
export async function placeRule(
  rows: Rows,
  newRuleId: string,
  { serverId, agentId, command }: RulePlace,
  { moderators, roleIds, userIds }: RuleContent,
): Promise<void> {
  const [rule] = await rows<{ id: string }>(place, [newRuleId, serverId, agentId, command, moderators]);
  if (!rule) return;
  await rows(clear, [rule.id]);
  const roles = [...roleIds, ...userIds.map(() => null)];
  const people = [...roleIds.map(() => null), ...userIds];
  if (roles.length > 0) await rows(holders, [rule.id, roles, people]);
}

/** @returns whether there was such a rule */
export async function dropRule(rows: Rows, { serverId, agentId, command }: RulePlace): Promise<boolean> {
  return (await rows(drop, [serverId, agentId, command])).length > 0;
}

/** Removes the rules about all but these commands of a bot. */
export async function dropOtherRules(rows: Rows, { serverId, agentId }: RulePlace, commands: string[]): Promise<void> {
  await rows(dropOthers, [serverId, agentId, commands]);
}

const lockUploads = `SELECT id FROM attachments WHERE id = ANY($1::uuid[]) AND uploader_id = $2 AND message_id IS NULL
  AND held_id IS NULL AND scheduled_id IS NULL ORDER BY id FOR KEY SHARE`;

/** Whether someone's uploads are all there and unsent; they stay until the commit. */
export async function holdUploads(rows: Rows, userId: string, fileIds: string[]): Promise<boolean> {
  return fileIds.length === 0 || (await rows(lockUploads, [fileIds, userId])).length === fileIds.length;
}

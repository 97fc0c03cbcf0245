import { isAbove } from '../../access/rights.ts';
import { allCommands, type CommandRule } from '../../contract/command.ts';
import type { Rights } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';

/** A rule of a server about a command of a bot. */
export interface StoredRule extends CommandRule {
  agentId: string;
  /** In small letters, or `*`. */
  command: string;
}

const select = `SELECT r.agent_id AS "agentId", r.command, r.moderators,
    ARRAY(SELECT h.role_id FROM command_rule_holders h WHERE h.rule_id = r.id AND h.role_id IS NOT NULL ORDER BY h.role_id)
      AS "roleIds",
    ARRAY(SELECT h.user_id FROM command_rule_holders h
      JOIN server_members m ON m.server_id = r.server_id AND m.user_id = h.user_id WHERE h.rule_id = r.id ORDER BY h.user_id)
      AS "userIds"
  FROM command_rules r WHERE r.server_id = $1 AND r.agent_id = ANY($2::uuid[])`;

/** Who may use the commands of some bots in a server, as far as that is not everyone. */
export async function rulesOf(rows: Rows, serverId: string | null, agentIds: string[]): Promise<StoredRule[]> {
  return serverId === null || agentIds.length === 0 ? [] : rows<StoredRule>(select, [serverId, agentIds]);
}

/** The form in which rules know a command by its name. */
export const ruleName = (command: string): string => command.toLowerCase();

/** Someone in a server; in a direct message without rights. */
export interface Asking {
  userId: string;
  rights: Rights | null;
}

/** Whether someone may use a command: its own rule counts, else that for all of the bot (contract §4, Commands). */
export function mayUse(rules: StoredRule[], { userId, rights }: Asking, agentId: string, command: string): boolean {
  const own = rules.filter((rule) => rule.agentId === agentId);
  const rule = own.find((one) => one.command === ruleName(command)) ?? own.find((one) => one.command === allCommands);
  if (!rule || rule.userIds.includes(userId)) return true;
  // What is more than a member's is held back.
  if (!rights || rights.isHeldBack) return false;
  if (isAbove(rights) || (rule.moderators && rights.role === 'moderator')) return true;
  return rule.roleIds.some((id) => rights.roleIds.includes(id));
}

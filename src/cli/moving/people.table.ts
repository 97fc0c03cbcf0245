import type { Rows } from '../../database/database.ts';

/** An account that has the address of someone of an export. */
export interface HolderRow {
  id: string;
  username: string;
  isVerified: boolean;
  isOperator: boolean;
  isSuspended: boolean;
  isBanned: boolean;
}

const holder = `SELECT u.id, u.username, u.email_verified_at IS NOT NULL AS "isVerified", u.is_operator AS "isOperator",
    u.suspended_at IS NOT NULL AS "isSuspended",
    EXISTS (SELECT FROM server_bans b WHERE b.server_id = $2 AND b.user_id = u.id) AS "isBanned"
  FROM users u WHERE u.email = $1 AND NOT u.is_bot AND u.deleted_at IS NULL AND u.deletes_at IS NULL`;

export async function holderOf(rows: Rows, email: string, serverId: string): Promise<HolderRow | undefined> {
  return (await rows<HolderRow>(holder, [email, serverId]))[0];
}

const known = 'SELECT key FROM import_people WHERE import_id = $1 AND key = ANY($2::text[])';

/** Which of these people have an account already. */
export async function knownPeople(rows: Rows, importId: string, keys: string[]): Promise<Set<string>> {
  return new Set((await rows<{ key: string }>(known, [importId, keys])).map(({ key }) => key));
}

const insert = `INSERT INTO import_people (import_id, key, user_id, is_placeholder, candidate_id)
  VALUES ($1, $2, $3, $4, $5)`;

/** @param candidateId the account that has the same address as the placeholder */
export async function insertPerson(
  rows: Rows,
  importId: string,
  key: string,
  { userId, isPlaceholder, candidateId }: { userId: string; isPlaceholder: boolean; candidateId: string | null },
): Promise<void> {
  await rows(insert, [importId, key, userId, isPlaceholder, candidateId]);
}

const placeholders = `SELECT p.key, u.id, u.username, c.username AS candidate
  FROM import_people p JOIN users u ON u.id = p.user_id AND NOT u.is_bot AND u.deleted_at IS NULL
    LEFT JOIN users c ON c.id = p.candidate_id AND c.deleted_at IS NULL
  WHERE p.import_id = $1 AND p.is_placeholder ORDER BY p.candidate_id IS NULL, u.username_key`;

/** The placeholders of an import, and whose address some of them had. */
export function placeholdersOf(rows: Rows, importId: string) {
  return rows<{ key: string; id: string; username: string; candidate: string | null }>(placeholders, [importId]);
}

/** Who someone of an export is here. */
export interface Known {
  id: string;
  username: string;
  displayName: string;
}

const accounts = `SELECT p.key, u.id, u.username, u.display_name AS "displayName"
  FROM import_people p JOIN users u ON u.id = p.user_id WHERE p.import_id = $1 AND p.key = ANY($2::text[])`;

export async function accountsOf(rows: Rows, importId: string, keys: string[]): Promise<Map<string, Known>> {
  if (keys.length === 0) return new Map();
  const found = await rows<Known & { key: string }>(accounts, [importId, keys]);
  return new Map(found.map(({ key, ...account }) => [key, account]));
}

const join = `INSERT INTO server_members (server_id, user_id, role, joined_at)
  SELECT $1::uuid, id, 'member', now() FROM unnest($2::uuid[]) AS id ON CONFLICT DO NOTHING`;
const recount =
  'UPDATE servers SET member_count = (SELECT count(*) FROM server_members WHERE server_id = $1) WHERE id = $1';
const isMember = 'SELECT user_id FROM server_members WHERE server_id = $1 AND user_id = $2';

/** Makes placeholders members: nobody is told, and nobody is there to be told anything. */
export async function joinSilently(rows: Rows, serverId: string, userIds: string[]): Promise<void> {
  await rows(join, [serverId, userIds]);
}

export async function recountMembers(rows: Rows, serverId: string): Promise<void> {
  await rows(recount, [serverId]);
}

export async function isMemberOf(rows: Rows, serverId: string, userId: string): Promise<boolean> {
  return (await rows(isMember, [serverId, userId])).length > 0;
}

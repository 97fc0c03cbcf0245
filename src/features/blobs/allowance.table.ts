import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';

interface Account {
  /** Bots store for their owners. */
  personId: string;
  tier: string;
  isVerified: boolean;
}

/** The account whose allowance applies: for bots their owner's. */
const selectAccount = `SELECT p.id AS "personId", p.tier, p.email_verified_at IS NOT NULL AS "isVerified"
  FROM users u LEFT JOIN agents a ON a.user_id = u.id JOIN users p ON p.id = coalesce(a.owner_id, u.id) WHERE u.id = $1`;

/** What a person and their bots have stored: files of messages, unsent ones too, of workspaces and apps, and pictures. */
const selectUsed = `WITH who AS (SELECT $1::uuid AS id UNION ALL SELECT user_id FROM agents WHERE owner_id = $1)
  SELECT (SELECT coalesce(sum(size), 0) FROM attachments WHERE uploader_id IN (SELECT id FROM who))
    + (SELECT coalesce(sum(size_bytes), 0) FROM workspace_nodes WHERE created_by IN (SELECT id FROM who))
    + (SELECT coalesce(sum(f.size_bytes), 0) FROM apps a JOIN app_files f ON f.app_id = a.id
       WHERE a.created_by IN (SELECT id FROM who))
    + (SELECT coalesce(sum(bytes), 0) FROM pictures WHERE uploader_id IN (SELECT id FROM who)) AS used`;

/** @throws AppError USER_NOT_FOUND */
export async function findAccount(rows: Rows, userId: string): Promise<Account> {
  const [account] = await rows<Account>(selectAccount, [userId]);
  if (!account) throw new AppError('USER_NOT_FOUND');
  return account;
}

/** In bytes. */
export async function readUsed(rows: Rows, personId: string): Promise<number> {
  const [sum] = await rows<{ used: string }>(selectUsed, [personId]);
  return Number(sum?.used ?? 0);
}

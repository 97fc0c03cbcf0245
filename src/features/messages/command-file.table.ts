import type { Rows } from '../../database/database.ts';

/** For as long as a bot that was away can learn of a command by its log. */
const kept = "interval '7 days'";

/** SQL: an upload was given to a bot with a command, lately. @param file SQL of its id */
export const isGivenToBot = (file: string): string =>
  `EXISTS (SELECT FROM command_files f WHERE f.attachment_id = ${file} AND f.given_at > now() - ${kept})`;

const give = `INSERT INTO command_files (attachment_id, agent_id) SELECT id, $2 FROM unnest($1::uuid[]) AS id
  ON CONFLICT (attachment_id, agent_id) DO UPDATE SET given_at = now()`;
const isGiven = `SELECT f.attachment_id FROM command_files f JOIN agents a ON a.id = f.agent_id
  WHERE f.attachment_id = $1 AND a.user_id = $2 AND f.given_at > now() - ${kept}`;
const forget = `DELETE FROM command_files WHERE (attachment_id, agent_id) IN (
    SELECT attachment_id, agent_id FROM command_files WHERE given_at <= now() - ${kept} LIMIT 100
  ) RETURNING attachment_id AS id`;

/** Lets a bot read uploads that it was given with a command. */
export async function giveFiles(rows: Rows, agentId: string, fileIds: string[]): Promise<void> {
  if (fileIds.length > 0) await rows(give, [fileIds, agentId]);
}

/** Whether a bot was given an upload, and may still read it. */
export async function isGivenTo(rows: Rows, fileId: string, botUserId: string): Promise<boolean> {
  return (await rows(isGiven, [fileId, botUserId])).length > 0;
}

/** Forgets some that bots may read no longer. @returns how many */
export async function forgetGiven(rows: Rows): Promise<number> {
  return (await rows(forget)).length;
}

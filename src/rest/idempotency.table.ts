import type { Rows } from '../database/database.ts';
import type { SentReply } from './answer.ts';

/** Identifies a repeated request. Any one of its keys is enough. */
export interface Claim {
  userId: string;
  route: string;
  keys: string[];
}

/** @returns whether the key was free, or is so again after a day */
export async function claimKey(rows: Rows, userId: string, route: string, key: string): Promise<boolean> {
  const taken = await rows<{ key: string }>(
    `INSERT INTO idempotency_keys (user_id, route, key) VALUES ($1, $2, $3)
     ON CONFLICT (user_id, route, key) DO UPDATE SET created_at = now(), status = NULL, answer = NULL
     WHERE idempotency_keys.created_at < now() - interval '1 day' RETURNING key`,
    [userId, route, key],
  );
  return taken.length > 0;
}

/** Keeps the answer to claimed keys. */
export async function answerTo(rows: Rows, { userId, route, keys }: Claim, { status, text }: SentReply): Promise<void> {
  await rows(
    `UPDATE idempotency_keys SET status = $4, answer = $5::json
     WHERE user_id = $1 AND route = $2 AND key = ANY($3::text[])`,
    [userId, route, keys, status, text],
  );
}

/** The answer that was kept for a key. */
export async function readAnswer(
  rows: Rows,
  userId: string,
  route: string,
  key: string,
): Promise<{ status: number; answer: string } | undefined> {
  const [first] = await rows<{ status: number; answer: string }>(
    'SELECT status, answer::text AS answer FROM idempotency_keys WHERE user_id = $1 AND route = $2 AND key = $3',
    [userId, route, key],
  );
  return first;
}

/** Does nothing, so that the transaction is not idle. */
export async function touch(rows: Rows): Promise<void> {
  await rows('SELECT 1');
}

/** Deletes some of the keys that are two days old. @returns how many */
export async function deleteOldKeys(rows: Rows, limit: number): Promise<number> {
  const gone = await rows<{ key: string }>(
    `DELETE FROM idempotency_keys WHERE (user_id, route, key) IN (
       SELECT user_id, route, key FROM idempotency_keys WHERE created_at < now() - interval '2 days'
       ORDER BY created_at LIMIT $1
     ) RETURNING key`,
    [limit],
  );
  return gone.length;
}

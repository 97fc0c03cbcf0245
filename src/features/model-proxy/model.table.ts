import { NIL } from 'uuid';
import type { Rows } from '../../database/database.ts';

/** What every node caches about a token in use. */
export interface KnownModelToken {
  userId: string;
  models: string[] | null;
}

/** Input and output tokens, as counted by the provider. */
export interface Counted {
  promptTokens: number;
  completionTokens: number;
}

/** The requests of a day with one token to one model. */
export interface UsageRow extends Counted {
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
  /** Null: with an access token. */
  tokenId: string | null;
  model: string;
  requests: number;
}

/** Stands for "no token" in the table's key. */
const noToken = NIL;

const inUse = `SELECT t.user_id AS "userId", t.models FROM model_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.id = $1 AND t.expires_at > now() AND u.deleted_at IS NULL`;
const add = `INSERT INTO model_usage (user_id, day, token_id, model, requests, prompt_tokens, completion_tokens)
  VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2, $3, 1, $4, $5)
  ON CONFLICT (user_id, day, token_id, model) DO UPDATE SET requests = model_usage.requests + 1,
    prompt_tokens = model_usage.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = model_usage.completion_tokens + excluded.completion_tokens`;
const ofUser = `SELECT day::text, CASE WHEN token_id = '${noToken}' THEN NULL ELSE token_id END AS "tokenId", model, requests,
    prompt_tokens AS "promptTokens", completion_tokens AS "completionTokens"
  FROM model_usage WHERE user_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::int
  ORDER BY day DESC, model, token_id LIMIT 10000`;

/** A token that has not expired, of a user who has an account. */
export async function tokenInUse(rows: Rows, tokenId: string): Promise<KnownModelToken | undefined> {
  const [token] = await rows<KnownModelToken>(inUse, [tokenId]);
  return token;
}

/** Counts a request of today. @param tokenId null: with an access token */
export async function addUsage(
  rows: Rows,
  { userId, tokenId }: { userId: string; tokenId: string | null },
  model: string,
  { promptTokens, completionTokens }: Counted,
): Promise<void> {
  await rows(add, [userId, tokenId ?? noToken, model, promptTokens, completionTokens]);
}

/** A user's usage of the last days, newest first. */
export function usageOf(rows: Rows, userId: string, days: number): Promise<UsageRow[]> {
  return rows<UsageRow>(ofUser, [userId, days]);
}

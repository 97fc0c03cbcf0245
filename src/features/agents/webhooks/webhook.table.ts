import type { Rows } from '../../../database/database.ts';

/** In one statement, since the webhook, or its bot, may be deleted at any moment. */
const place = `INSERT INTO webhooks (agent_id, url, secret, made_by) VALUES ($1, $2, $3, $4)
  ON CONFLICT (agent_id) DO UPDATE SET url = excluded.url, made_by = excluded.made_by, state = 'active', stopped_at = NULL,
    updated_at = now() RETURNING secret = $3 AS "isNew"`;
const select = `SELECT agent_id AS "agentId", secret FROM webhooks WHERE split_part(secret, '.', 1) = ANY($1::text[])
  LIMIT $2`;
const replace = 'UPDATE webhooks SET secret = $3 WHERE agent_id = $1 AND secret = $2';

/** Sets the address of a webhook and the session that did so. @returns whether it is new, and so has the secret */
export async function placeWebhook(
  rows: Rows,
  { agentId, url, secret, madeBy }: { agentId: string; url: string; secret: string; madeBy: string },
): Promise<boolean> {
  const [placed] = await rows<{ isNew: boolean }>(place, [agentId, url, secret, madeBy]);
  return placed?.isNew === true;
}

/** The secrets of webhooks that are sealed with one of these keys. */
export function secretsSealedWith(
  rows: Rows,
  kids: readonly string[],
  limit: number,
): Promise<{ agentId: string; secret: string }[]> {
  return rows(select, [kids, limit]);
}

/** Replaces the sealed form of a webhook's secret, unless it was rotated meanwhile. */
export async function replaceSecret(rows: Rows, agentId: string, from: string, to: string): Promise<void> {
  await rows(replace, [agentId, from, to]);
}

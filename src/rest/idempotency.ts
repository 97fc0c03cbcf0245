import type { Chore } from '../cluster/chores.ts';
import type { Rows } from '../database/database.ts';
import type { Changes } from '../delivery/changes.ts';
import type { SentReply } from './answer.ts';

/** Answers repeated requests with the first response (contract §1). */
export class Idempotency {
  private readonly changes: Changes;

  constructor(changes: Changes) {
    this.changes = changes;
  }

  /**
   * Runs `work` once per author, route and key within a day. The key, the changes of `work` and its response are one
   * transaction: a second request with the same key, on any node, waits for the first at the unique index, and a node
   * that dies in between leaves nothing behind.
   * @param toKeep turns a response into the form stored for repeats
   */
  async once(
    claim: Claim,
    work: () => Promise<SentReply>,
    toKeep: (reply: SentReply) => SentReply,
  ): Promise<SentReply> {
    return this.changes.run(async ({ rows }) => {
      const { claimed, first } = await claimKeys(rows, claim);
      const reply = first ?? (await keptAlive(rows, work));
      if (claimed.length > 0) await answerTo(rows, { ...claim, keys: claimed }, first ?? toKeep(reply));
      return reply;
    });
  }
}

/** Identifies a repeated request. Any one of its keys is enough. */
interface Claim {
  userId: string;
  route: string;
  keys: string[];
}

/** Claims unused keys, from the last to the first. @returns those, and the first response if one was used before */
async function claimKeys(
  rows: Rows,
  { userId, route, keys }: Claim,
): Promise<{ claimed: string[]; first?: SentReply }> {
  const claimed: string[] = [];
  for (const key of keys.toReversed()) {
    const taken = await rows<{ key: string }>(
      `INSERT INTO idempotency_keys (user_id, route, key) VALUES ($1, $2, $3)
       ON CONFLICT (user_id, route, key) DO UPDATE SET created_at = now(), status = NULL, answer = NULL
       WHERE idempotency_keys.created_at < now() - interval '1 day' RETURNING key`,
      [userId, route, key],
    );
    if (taken.length === 0) return { claimed, first: await firstAnswer(rows, userId, route, key) };
    claimed.push(key);
  }
  return { claimed };
}

async function answerTo(rows: Rows, { userId, route, keys }: Claim, { status, text }: SentReply): Promise<void> {
  await rows(
    `UPDATE idempotency_keys SET status = $4, answer = $5::json
     WHERE user_id = $1 AND route = $2 AND key = ANY($3::text[])`,
    [userId, route, keys, status, text],
  );
}

async function firstAnswer(rows: Rows, userId: string, route: string, key: string): Promise<SentReply> {
  const [first] = await rows<{ status: number; answer: string }>(
    'SELECT status, answer::text AS answer FROM idempotency_keys WHERE user_id = $1 AND route = $2 AND key = $3',
    [userId, route, key],
  );
  if (!first) throw new Error('The first answer of an idempotency key is gone.');
  return { status: first.status, headers: { 'Idempotency-Replayed': 'true' }, text: first.answer };
}

const keepAliveMs = 500;

/**
 * Keeps the transaction alive while `work` is busy outside of it, such as unpacking a large ZIP file: PostgreSQL ends
 * idle transactions. Those of frozen nodes still end.
 */
async function keptAlive<T>(rows: Rows, work: () => Promise<T>): Promise<T> {
  // If this fails, so does the next statement in the transaction.
  const timer = setInterval(() => void rows('SELECT 1').catch(() => {}), keepAliveMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

const batch = 1000;

/** Keys are valid for a day; older ones are never looked up. */
export const forgetKeys: Chore = {
  name: 'forget idempotency keys',
  async step(rows) {
    const gone = await rows<{ key: string }>(
      `DELETE FROM idempotency_keys WHERE (user_id, route, key) IN (
         SELECT user_id, route, key FROM idempotency_keys WHERE created_at < now() - interval '2 days'
         ORDER BY created_at LIMIT $1
       ) RETURNING key`,
      [batch],
    );
    return gone.length;
  },
};

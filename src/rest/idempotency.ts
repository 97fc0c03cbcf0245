import type { Chore } from '../cluster/chores.ts';
import type { Rows } from '../database/database.ts';
import type { Changes } from '../delivery/changes.ts';
import type { SentReply } from './answer.ts';
import { answerTo, type Claim, claimKey, deleteOldKeys, readAnswer, touch } from './idempotency.table.ts';

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

/** Claims unused keys, from the last to the first. @returns those, and the first response if one was used before */
async function claimKeys(
  rows: Rows,
  { userId, route, keys }: Claim,
): Promise<{ claimed: string[]; first?: SentReply }> {
  const claimed: string[] = [];
  for (const key of keys.toReversed()) {
    if (!(await claimKey(rows, userId, route, key))) {
      return { claimed, first: await firstAnswer(rows, userId, route, key) };
    }
    claimed.push(key);
  }
  return { claimed };
}

async function firstAnswer(rows: Rows, userId: string, route: string, key: string): Promise<SentReply> {
  const first = await readAnswer(rows, userId, route, key);
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
  const timer = setInterval(() => void touch(rows).catch(() => {}), keepAliveMs);
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
  step: (rows) => deleteOldKeys(rows, batch),
};

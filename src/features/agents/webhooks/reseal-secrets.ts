import type { Chore } from '../../../cluster/chores.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';

const batch = 50;
const older = `SELECT agent_id AS "agentId", secret FROM webhooks WHERE split_part(secret, '.', 1) = ANY($1::text[])
  LIMIT $2`;
const replace = 'UPDATE webhooks SET secret = $3 WHERE agent_id = $1 AND secret = $2';

/** Reseals secrets that were sealed with an older JWT secret, so that it can be removed one day. */
export function resealSecrets(sealed: SealedText): Chore {
  return {
    name: 'seal the secrets of webhooks anew',
    async step(rows) {
      if (sealed.olderKids.length === 0) return 0;
      const found = await rows<{ agentId: string; secret: string }>(older, [sealed.olderKids, batch]);
      let count = 0;
      for (const { agentId, secret } of found) {
        const text = sealed.open(secret);
        if (text === undefined) continue;
        await rows(replace, [agentId, secret, sealed.seal(text)]);
        count++;
      }
      return count;
    },
  };
}

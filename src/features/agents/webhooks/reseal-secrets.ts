import type { Chore } from '../../../cluster/chores.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';
import { replaceSecret, secretsSealedWith } from './webhook.table.ts';

const batch = 50;

/** Reseals secrets that were sealed with an older JWT secret, so that it can be removed one day. */
export function resealSecrets(sealed: SealedText): Chore {
  return {
    name: 'seal the secrets of webhooks anew',
    async step(rows) {
      if (sealed.olderKids.length === 0) return 0;
      let count = 0;
      for (const { agentId, secret } of await secretsSealedWith(rows, sealed.olderKids, batch)) {
        const text = sealed.open(secret);
        if (text === undefined) continue;
        await replaceSecret(rows, agentId, secret, sealed.seal(text));
        count++;
      }
      return count;
    },
  };
}

import type { Chore } from '../../cluster/chores.ts';
import type { SealedText } from '../../infrastructure/sealed-text.ts';
import { hooksSealedWith, resealHook } from './hook.table.ts';

const batch = 50;

/** Reseals secrets that were sealed with an older JWT secret, so that it can be removed one day. */
export function resealHooks(sealed: SealedText): Chore {
  return {
    name: 'seal the secrets of incoming webhooks anew',
    async step(rows) {
      if (sealed.olderKids.length === 0) return 0;
      let count = 0;
      for (const { id, secret } of await hooksSealedWith(rows, sealed.olderKids, batch)) {
        const text = sealed.open(secret);
        if (text === undefined) continue;
        await resealHook(rows, id, secret, sealed.seal(text));
        count++;
      }
      return count;
    },
  };
}

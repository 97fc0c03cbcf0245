import type { Chore } from '../../../cluster/chores.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';

const batch = 50;
const sealedBefore = `SELECT user_id AS "userId", secret FROM totp_factors WHERE split_part(secret, '.', 1) = ANY($1::text[])
  LIMIT $2`;
const replace = 'UPDATE totp_factors SET secret = $3 WHERE user_id = $1 AND secret = $2';

/** Seals secrets anew that an older JWT secret has sealed, so that it can be removed one day. */
export function resealTotp(sealed: SealedText): Chore {
  return {
    name: 'seal the secrets of authenticator apps anew',
    async step(rows) {
      if (sealed.olderKids.length === 0) return 0;
      let count = 0;
      const found = await rows<{ userId: string; secret: string }>(sealedBefore, [sealed.olderKids, batch]);
      for (const { userId, secret } of found) {
        const text = sealed.open(secret);
        if (text === undefined) continue;
        await rows(replace, [userId, secret, sealed.seal(text)]);
        count++;
      }
      return count;
    },
  };
}

import { randomBytes } from 'node:crypto';

/** Stands in a page and its policy where the nonce of an answer goes. */
export const nonceMark = '{{nonce}}';

/**
 * A page and its Content-Security-Policy with a nonce of their own (CSP Level 3 §7.1): a script counts as the page's because
 * the page names it, not because of where it lies. What members put under the same origin lies there too.
 */
export function withNonce(page: string, policy: string): { page: string; policy: string } {
  const nonce = randomBytes(16).toString('base64');
  return { page: page.replaceAll(nonceMark, nonce), policy: policy.replaceAll(nonceMark, nonce) };
}

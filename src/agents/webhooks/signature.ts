import { createHmac, randomBytes } from 'node:crypto';
import type { SealedText } from '../../infrastructure/sealed-text.ts';

const prefix = 'whsec_';
const secretBytes = 32;
/** So many secrets from before may sign beside the current one; each makes the header longer. */
export const mostPreviousSecrets = 4;

/** A new secret in the form of the Standard Webhooks convention. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/**
 * All secrets that sign, the newest first, as they were shown; without those that cannot be opened any more.
 *
 * @param previous what signs beside the secret, if anything does: sealed too, with a space between
 */
export function signingSecrets(sealed: SealedText, secret: string, previous: string | null): string[] {
  return [secret, ...(previous?.split(' ') ?? [])].flatMap((text) => sealed.open(text) ?? []);
}

/**
 * The value of `webhook-signature`: one signature for each secret that holds, the newest first.
 *
 * @param secrets as they were shown, `whsec_…`
 * @param timestamp seconds since 1970, as in `webhook-timestamp`
 * @param body as it is sent, byte by byte
 */
export function signatures(secrets: string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

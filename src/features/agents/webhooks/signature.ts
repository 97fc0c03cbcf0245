import { createHmac, randomBytes } from 'node:crypto';
import type { Webhook } from '../../../database/entities/agent.entity.ts';
import { clock } from '../../../infrastructure/clock.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';

const prefix = 'whsec_';
const secretBytes = 32;
/** How many previous secrets may sign beside the current one; each makes the header longer. */
export const mostPreviousSecrets = 4;

/** A new secret in the Standard Webhooks format. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/**
 * All secrets that sign, newest first, in plain form; without those that can no longer be opened.
 *
 * @param previous the sealed secrets that sign besides, newest first
 */
export function signingSecrets(sealed: SealedText, secret: string, previous: string[]): string[] {
  return [secret, ...previous].flatMap((text) => sealed.open(text) ?? []);
}

/** The sealed secrets that still sign besides the present one, newest first. */
export function previousSecrets({ previousSecret, previousUntil }: Webhook): string[] {
  const sign = previousUntil != null && previousUntil.getTime() > clock.now();
  return sign ? (previousSecret?.split(' ') ?? []) : [];
}

/**
 * The value of `webhook-signature`: one signature for each valid secret, newest first.
 *
 * @param secrets in plain form, `whsec_…`
 * @param timestamp seconds since 1970, as in `webhook-timestamp`
 * @param body exactly the bytes that are sent
 */
export function signatures(secrets: string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

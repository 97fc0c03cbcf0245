import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

/** A new secret in the form of the Standard Webhooks convention. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
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

import { createECDH } from 'node:crypto';
import { z } from 'zod';
import { keptSecret } from './kept-secret.ts';
import { milliseconds, positive } from './numbers.ts';
import { SettingsError } from './settings-error.ts';
import { told } from './settings-lists.ts';

/** The environment variables about pushes. */
export const pushVariables = {
  PUSH: z.enum(['on', 'off']).default('on').meta(told('`off`: nothing is pushed to browsers that are closed')),
  VAPID_PRIVATE_KEY: z
    .string()
    .regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'must be 32 bytes in Base64; make one with: openssl rand -base64 32')
    .optional()
    .meta(
      told(
        'the key that signs pushes, 32 bytes in Base64. With a `DATABASE_URL` in production nothing is pushed without one',
        'generated once, kept in `DATA_DIR`',
      ),
    ),
  PUSH_CONTACT: z
    .string()
    .regex(/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/, 'must be a mailto: or https: address')
    .optional()
    .meta(told('where push services find the operator: `mailto:…` or `https://…`', 'the sender of mail')),
};

/** The settings of pushes in config/*.json. */
export const pushFileSettings = z.strictObject({
  ttlSeconds: positive.describe('how long a push service keeps a push for a device that it cannot reach'),
  timeoutMs: milliseconds.describe('how long a push service may take to answer'),
  concurrency: positive.describe('concurrent requests of a node to push services'),
  recheckMs: milliseconds.describe(
    'how soon a notification of someone who is active is looked at again; then after twice that, and so on',
  ),
  repeatMs: milliseconds.describe(
    'the shortest time between two pushes of one notification to a device; what is merged into it meanwhile comes together',
  ),
  waitSeconds: positive.describe('how long it may wait for them to leave it unread; then it is not pushed any more'),
  silentPushes: z
    .number()
    .int()
    .min(0)
    .describe('how many pushes in a row may only take back earlier ones: browsers allow few that show nothing'),
});

/** The keys that identify this installation to push services (RFC 8292), in base64 for URLs. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/** What the environment says of pushes. */
export interface PushSettings {
  /** Null: nothing is pushed. */
  pushKeys: VapidKeys | null;
  /** `mailto:` or `https:`. */
  pushContact: string;
}

type Environment = z.infer<z.ZodObject<typeof pushVariables>>;

/**
 * The keys of pushes: the configured one, or one of our own.
 * @returns null: pushes are off, or nodes would not agree on a key
 * @throws SettingsError for a key that is none
 */
export function pushKeys(
  { PUSH, VAPID_PRIVATE_KEY: given }: Environment,
  settings: { environment: string; databaseUrl: string | null; dataDir: string },
): VapidKeys | null {
  if (PUSH === 'off') return null;
  if (given === undefined && settings.environment === 'production' && settings.databaseUrl !== null) return null;
  const privateKey = Buffer.from(given ?? keptSecret(settings.dataDir, 'vapid-key'), 'base64');
  const curve = createECDH('prime256v1');
  try {
    curve.setPrivateKey(privateKey);
  } catch {
    throw new SettingsError(
      'VAPID_PRIVATE_KEY is no key of the curve P-256; make one with: openssl rand -base64 32, and unset it for one in DATA_DIR.',
    );
  }
  return { publicKey: curve.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
}

/** The address of the operator for push services: given, or that of the sender of mail. */
export function pushContact({ PUSH_CONTACT: given }: Environment, mailFrom: string): string {
  return given ?? `mailto:${/<(.+)>/.exec(mailFrom)?.[1] ?? mailFrom}`;
}

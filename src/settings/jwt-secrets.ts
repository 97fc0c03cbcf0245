import { createHash, createHmac } from 'node:crypto';
import { keptSecret } from './kept-secret.ts';
import { SettingsError } from './settings-error.ts';

export interface JwtSecret {
  kid: string;
  /** Its name in tokens and texts that older versions signed and sealed. */
  formerKid?: string;
  secret: string;
}

/** Anyone with a single token can guess a shorter one. */
const leastBytes = 32;

/**
 * The secrets that sign tokens: the configured ones, or one of our own.
 * @throws SettingsError if nodes would not agree on one, or production has a guessable one
 */
export function jwtSecrets(
  given: string[] | undefined,
  settings: { environment: string; databaseUrl: string | null; dataDir: string },
): JwtSecret[] {
  if (given?.length) {
    if (settings.environment === 'production') given.forEach(requireLong);
    return given.map(withKeyId);
  }
  if (settings.environment === 'production' && settings.databaseUrl) {
    throw new SettingsError('JWT_SECRET must be set in production, to the same value on every node.');
  }
  return [withKeyId(keptSecret(settings.dataDir, 'jwt-secret'))];
}

/**
 * The `kid` in the header of a token: a MAC under the secret itself, so that testing a guess against it costs as much
 * as against the token's signature. Older versions put a plain hash there.
 */
function withKeyId(secret: string): JwtSecret {
  const kid = createHmac('sha256', secret).update('parley key id').digest('base64url').slice(0, 16);
  const formerKid = createHash('sha256').update(secret).digest('hex').slice(0, 8);
  return { kid, formerKid, secret };
}

function requireLong(secret: string): void {
  if (Buffer.byteLength(secret) >= leastBytes) return;
  throw new SettingsError(
    `JWT_SECRET has a secret of fewer than ${leastBytes} bytes, which can be guessed; make one with: openssl rand -base64 32.`,
  );
}

/** Whether something that was signed or sealed names this secret. */
export const isNamed = ({ kid, formerKid }: JwtSecret, name: string | undefined): boolean =>
  name !== undefined && (name === kid || name === formerKid);

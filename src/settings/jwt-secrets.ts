import { createHash, createHmac } from 'node:crypto';
import { ownSecret } from './own-secret.ts';
import { SettingsError } from './settings-error.ts';

export interface JwtSecret {
  kid: string;
  /** Its name in what older versions signed and sealed. */
  formerKid?: string;
  secret: string;
}

/** A shorter one can be guessed from a single token, by whoever has one. */
const leastBytes = 32;

/**
 * The secrets that tokens are signed with: those that were given, or one of our own.
 * @throws SettingsError where nodes would not agree on one, or production has one that can be guessed
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
  return [withKeyId(ownSecret(settings.dataDir))];
}

/**
 * The `kid` in the header of a token: a MAC under the secret itself, so that trying out a guess with it takes what trying it
 * out with the token's own signature takes. Older versions put a plain hash there.
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

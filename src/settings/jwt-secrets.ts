import { createHash } from 'node:crypto';
import { ownSecret } from './own-secret.ts';
import { SettingsError } from './settings-error.ts';

export interface JwtSecret {
  kid: string;
  secret: string;
}

/**
 * The secrets that tokens are signed with: those that were given, or one of our own.
 * @throws SettingsError where nodes would not agree on one
 */
export function jwtSecrets(
  given: string[] | undefined,
  settings: { environment: string; databaseUrl: string | null; dataDir: string },
): JwtSecret[] {
  if (given?.length) return given.map(withKeyId);
  if (settings.environment === 'production' && settings.databaseUrl) {
    throw new SettingsError('JWT_SECRET must be set in production, to the same value on every node.');
  }
  return [withKeyId(ownSecret(settings.dataDir))];
}

function withKeyId(secret: string): JwtSecret {
  return { kid: createHash('sha256').update(secret).digest('hex').slice(0, 8), secret };
}

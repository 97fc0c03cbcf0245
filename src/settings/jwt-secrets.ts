import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from './make-folder.ts';
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
  return [withKeyId(ownSecret(settings.dataDir))];
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

/**
 * A secret made at the first start and kept, so that sessions survive a restart (contract §11).
 * @throws SettingsError when the data folder cannot be used
 */
export function ownSecret(dataDir: string): string {
  const file = path.join(dataDir, 'jwt-secret');
  try {
    makeFolder(dataDir);
    if (!existsSync(file)) makeOnce(file);
    const secret = readFileSync(file, 'utf8').trim();
    if (secret === '') throw new Error(`${file} is empty, remove it for a new one`);
    return secret;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError(`The data folder ${dataDir} cannot be used; set DATA_DIR to one that can: ${reason}.`);
  }
}

/** The file appears complete and at once: processes that start together all read the same one, and none reads half. */
function makeOnce(file: string): void {
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    linkSync(own, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

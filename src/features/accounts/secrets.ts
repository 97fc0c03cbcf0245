import { createHash, createHmac, randomBytes } from 'node:crypto';

/** A secret that is handed out once; only its hash is stored. */
export function newSecret(prefix = ''): { secret: string; hash: string } {
  const secret = prefix + randomBytes(32).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** For secrets with enough entropy that a plain hash cannot be reversed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** For short secrets, such as six-digit codes: without the key nobody can try them all. */
export function keyedHash(key: string, purpose: string, text: string): string {
  return createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url');
}

/** A secret that is computed from an id when it is needed, and so is nowhere at rest: only the holder of `key` can. */
export function derivedToken(key: string, id: string): string {
  return keyedHash(key, 'mailed link', id);
}

/** The same in six digits. */
export function derivedCode(key: string, id: string): string {
  const digest = createHmac('sha256', key).update(`mailed code\n${id}`).digest();
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}

/** The salt of passwords of new accounts of an address: the same for those that come at the same moment. */
export function addressSalt(key: string, email: string): Buffer {
  return createHmac('sha256', key).update(`salt of an address\n${email}`).digest().subarray(0, 16);
}

/** A key for `seal`: only the holder of `secret`, which is not stored here, can read what is sealed with it. */
export function sealingKey(secret: string): Buffer {
  return createHash('sha256').update(`sealed with\n${secret}`).digest();
}

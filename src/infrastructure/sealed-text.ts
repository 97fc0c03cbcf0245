import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { isNamed, type JwtSecret } from '../settings/jwt-secrets.ts';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Encrypts a text: without the 32-byte key nobody can read or change it. @returns URL-safe text */
export function seal(text: string, key: Buffer): string {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv);
  const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
  return Buffer.concat([iv, sealing.getAuthTag(), sealed]).toString('base64url');
}

/** Decrypts it. @throws Error when the key is another one, or this is no encrypted text */
export function unseal(sealed: string, key: Buffer): string {
  const all = Buffer.from(sealed, 'base64url');
  const opening = createDecipheriv(cipher, key, all.subarray(0, ivBytes));
  opening.setAuthTag(all.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([opening.update(all.subarray(ivBytes + tagBytes)), opening.final()]).toString('utf8');
}

/**
 * Secrets that are used again, and so cannot be hashed: encrypted with the node's own secrets, so that a copy of the
 * database alone reveals nothing.
 */
export class SealedText {
  private readonly secrets: JwtSecret[];

  /** @param secrets the first one seals, all of them open */
  constructor(secrets: JwtSecret[]) {
    this.secrets = secrets;
  }

  seal(text: string): string {
    const [first] = this.secrets;
    if (!first) throw new Error('There is no secret to seal with.');
    return `${first.kid}.${seal(text, keyOf(first.secret))}`;
  }

  /** The text; undefined when none of the secrets opens it. */
  open(sealed: string): string | undefined {
    const [kid, bytes = ''] = sealed.split('.');
    const secret = this.secrets.find((candidate) => isNamed(candidate, kid))?.secret;
    if (!secret) return undefined;
    try {
      return unseal(bytes, keyOf(secret));
    } catch {
      // Not text that was sealed here.
      return undefined;
    }
  }

  /** The prefixes of everything sealed with one of the other secrets, before a dot. */
  get olderKids(): string[] {
    return this.secrets.slice(1).flatMap(({ kid, formerKid }) => (formerKid ? [kid, formerKid] : [kid]));
  }
}

/** A separate key, so that nothing else made with the same secret can be mistaken for it. */
function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'parley-sealed-text', 32));
}

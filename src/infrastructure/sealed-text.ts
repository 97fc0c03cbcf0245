import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Secrets that have to be used again, and so cannot be hashed: kept encrypted with the node's own secrets, so that a copy
 * of the database alone gives nothing away.
 */
export class SealedText {
  private readonly secrets: { kid: string; secret: string }[];

  /** @param secrets the first one seals, all of them open */
  constructor(secrets: { kid: string; secret: string }[]) {
    this.secrets = secrets;
  }

  seal(text: string): string {
    const [first] = this.secrets;
    if (!first) throw new Error('There is no secret to seal with.');
    const iv = randomBytes(ivBytes);
    const sealing = createCipheriv(cipher, keyOf(first.secret), iv);
    const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
    return `${first.kid}.${Buffer.concat([iv, sealing.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /** The text again; undefined when none of the secrets opens it. */
  open(sealed: string): string | undefined {
    const [kid, bytes = ''] = sealed.split('.');
    const secret = this.secrets.find((candidate) => candidate.kid === kid)?.secret;
    if (!secret) return undefined;
    try {
      const all = Buffer.from(bytes, 'base64url');
      const opening = createDecipheriv(cipher, keyOf(secret), all.subarray(0, ivBytes));
      opening.setAuthTag(all.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([opening.update(all.subarray(ivBytes + tagBytes)), opening.final()]).toString('utf8');
    } catch {
      // Not what was sealed here.
      return undefined;
    }
  }

  /** With which everything begins that one of the other secrets has sealed, before a dot. */
  get olderKids(): string[] {
    return this.secrets.slice(1).map(({ kid }) => kid);
  }
}

/** A key of its own, so that nothing else that is made with the same secret can be mixed up with it. */
function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'parley-sealed-text', 32));
}

import { createHmac } from 'node:crypto';
import { idSchema } from '../../contract/schema.ts';
import { equalInConstantTime } from '../../infrastructure/constant-time.ts';
import { isNamed, type JwtSecret } from '../../settings/jwt-secrets.ts';

/**
 * Links by which whoever has a mail ends such mails, without signing in (RFC 8058). They work as long as the secret is among
 * those of the installation: a mail may be opened years later. They can do nothing else.
 */
export class UnsubscribeLinks {
  private readonly secrets: JwtSecret[];

  /** @param secrets the first one signs, all of them verify */
  constructor(secrets: JwtSecret[]) {
    this.secrets = secrets;
  }

  tokenFor(userId: string): string {
    const [first] = this.secrets;
    if (!first) throw new Error('There is no secret to sign with.');
    return `${first.kid}.${userId}.${mac(first.secret, userId)}`;
  }

  /** Whose mails a token ends. @returns null for one that was not made here */
  userOf(token: string): string | null {
    const [kid, userId, given] = token.split('.');
    const secret = this.secrets.find((candidate) => isNamed(candidate, kid))?.secret;
    const id = idSchema.safeParse(userId);
    if (!secret || !id.success || given === undefined) return null;
    return equalInConstantTime(mac(secret, id.data), given) ? id.data : null;
  }
}

/** The signature covers the purpose, so that nothing else signed with the same secret is accepted here. */
const mac = (secret: string, userId: string): string =>
  createHmac('sha256', secret).update(`parley-unsubscribe\n${userId}`).digest('base64url');

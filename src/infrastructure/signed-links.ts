import { createHmac } from 'node:crypto';
import { isNamed, type JwtSecret } from '../settings/jwt-secrets.ts';
import { equalInConstantTime } from './constant-time.ts';

/** Long enough to open even a large file behind a link (contract §6). */
const linkSeconds = 600;

/** Tokens for links that work without signing in, for a limited time, for one thing. */
export class SignedLinks {
  private readonly secrets: JwtSecret[];

  /** @param secrets the first one signs, all of them verify */
  constructor(secrets: JwtSecret[]) {
    this.secrets = secrets;
  }

  /**
   * @param subject what the link is for, with everything that must not be altered
   * @returns the token, URL-safe, and when it expires, in ten minutes
   */
  sign(subject: string): { token: string; expiresAt: Date } {
    const [first] = this.secrets;
    if (!first) throw new Error('There is no secret to sign with.');
    const expires = Math.floor(Date.now() / 1000) + linkSeconds;
    return {
      token: `${expires}.${first.kid}.${mac(first.secret, expires, subject)}`,
      expiresAt: new Date(expires * 1000),
    };
  }

  /** Whether a token is for this subject and still valid. */
  verify(subject: string, token: string): boolean {
    const [expires, kid, given = ''] = token.split('.');
    const secret = this.secrets.find((candidate) => isNamed(candidate, kid))?.secret;
    if (!secret || !(Number(expires) * 1000 > Date.now())) return false;
    return equalInConstantTime(mac(secret, Number(expires), subject), given);
  }
}

/** The purpose is part of it, so that nothing else signed with the same secret is accepted as a link. */
function mac(secret: string, expires: number, subject: string): string {
  return createHmac('sha256', secret).update(`parley-link\n${expires}\n${subject}`).digest('base64url');
}

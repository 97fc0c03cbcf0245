import { createHmac } from 'node:crypto';
import type { JwtSecret } from '../settings/jwt-secrets.ts';
import { sameText } from './same-text.ts';

/** Long enough to open what a link leads to, also where it is large (contract §6). */
const linkSeconds = 600;

/** Tokens for links that work without signing in, for a while, for one thing. */
export class SignedLinks {
  private readonly secrets: JwtSecret[];

  /** @param secrets the first one signs, all of them verify */
  constructor(secrets: JwtSecret[]) {
    this.secrets = secrets;
  }

  /**
   * @param subject what the link is for, with everything that it must not be turned into
   * @returns the token, URL-safe, and the time when it ends, in ten minutes
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

  /** Whether a token is one for this subject and still valid. */
  verify(subject: string, token: string): boolean {
    const [expires, kid, given = ''] = token.split('.');
    const secret = this.secrets.find((candidate) => candidate.kid === kid)?.secret;
    if (!secret || !(Number(expires) * 1000 > Date.now())) return false;
    return sameText(mac(secret, Number(expires), subject), given);
  }
}

/** The purpose is part of it, so that nothing else that is signed with the same secret passes for a link. */
function mac(secret: string, expires: number, subject: string): string {
  return createHmac('sha256', secret).update(`parley-link\n${expires}\n${subject}`).digest('base64url');
}

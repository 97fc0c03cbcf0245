import { createHmac } from 'node:crypto';
import { isNamed, type JwtSecret } from '../settings/jwt-secrets.ts';
import { clock } from './clock.ts';
import { equalInConstantTime } from './constant-time.ts';

/** Long enough to open even a large file behind a link (contract §6). */
const linkSeconds = 600;

/** Whether links that this user requested still work. */
type Admits = (userId: string) => Promise<boolean>;

/** Tokens for links that work without signing in: for a limited time, for one thing, while their user may use links. */
export class SignedLinks {
  private readonly secrets: JwtSecret[];
  private admits: Admits = async () => true;

  /** @param secrets the first one signs, all of them verify */
  constructor(secrets: JwtSecret[]) {
    this.secrets = secrets;
  }

  /** Decides who may still use links; set once there are accounts. */
  admitOnly(admits: Admits): void {
    this.admits = admits;
  }

  /**
   * @param subject the link's target, with everything that must not be altered
   * @param userId who asks for it
   * @returns the token, URL-safe, and when it expires, in ten minutes
   */
  sign(subject: string, userId: string): { token: string; expiresAt: Date } {
    const [first] = this.secrets;
    if (!first) throw new Error('There is no secret to sign with.');
    const expires = Math.floor(clock.now() / 1000) + linkSeconds;
    return {
      token: `${expires}.${first.kid}.${userId}.${mac(first.secret, expires, ownedBy(userId, subject))}`,
      expiresAt: new Date(expires * 1000),
    };
  }

  /** Who asked for a link; undefined: tokens from older nodes do not say. Only `verify` tells whether that is true. */
  userOf(token: string): string | undefined {
    const rest = token.split('.').slice(2);
    return rest.length > 1 ? rest[0] : undefined;
  }

  /** Whether a token is for this subject and still valid. Tokens from older nodes name no user. */
  async verify(subject: string, token: string): Promise<boolean> {
    const [expires, kid, ...rest] = token.split('.');
    const given = rest.at(-1) ?? '';
    const userId = this.userOf(token);
    const secret = this.secrets.find((candidate) => isNamed(candidate, kid))?.secret;
    if (!secret || !(Number(expires) * 1000 > clock.now())) return false;
    const signed = userId === undefined ? subject : ownedBy(userId, subject);
    if (!equalInConstantTime(mac(secret, Number(expires), signed), given)) return false;
    return userId === undefined || this.admits(userId);
  }
}

const ownedBy = (userId: string, subject: string) => `${subject}\nfor ${userId}`;

/** The signature covers the purpose, so that nothing else signed with the same secret is accepted as a link. */
function mac(secret: string, expires: number, subject: string): string {
  return createHmac('sha256', secret).update(`parley-link\n${expires}\n${subject}`).digest('base64url');
}

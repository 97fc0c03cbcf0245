import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { atMost } from '../infrastructure/cache.ts';
import type { Settings } from '../settings.ts';

const audience = 'parley';

const claimsSchema = z.object({
  sub: z.uuid(),
  sid: z.uuid(),
  typ: z.enum(['access', 'agent']),
  exp: z.number(),
});

export type Claims = z.infer<typeof claimsSchema>;

/** What a token is signed for; a refresh token opens nothing and is known by its hash alone, so it is never verified. */
type SignedClaims = Pick<Claims, 'sub' | 'sid'> & { typ: Claims['typ'] | 'refresh' };

/** JWTs for people and agents (contract §3): HS256, several secrets at once so that they can be rotated. */
export class Tokens {
  private readonly settings: Settings;
  /** Signatures checked already: a token is used many times, and its text stands for its claims. */
  private readonly verified = new LRUCache<string, Claims>(atMost(20_000));

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** @param seconds how long it is valid */
  sign(claims: SignedClaims, seconds: number): string {
    const [signer] = this.settings.jwtSecrets;
    if (!signer) throw new Error('There is no JWT secret.');
    return jwt.sign(claims, signer.secret, {
      algorithm: 'HS256',
      keyid: signer.kid,
      issuer: this.settings.accounts.issuer,
      audience,
      expiresIn: seconds,
      jwtid: uuid(),
    });
  }

  /** @throws AppError ACCESS_TOKEN_INVALID */
  verify(token: string): Claims {
    const known = this.verified.get(token);
    if (known && known.exp * 1000 > Date.now()) return known;
    const claims = this.check(token);
    this.verified.set(token, claims);
    return claims;
  }

  private check(token: string): Claims {
    try {
      const kid = jwt.decode(token, { complete: true })?.header.kid;
      const secret = this.settings.jwtSecrets.find((candidate) => candidate.kid === kid)?.secret;
      if (!secret) throw new AppError('ACCESS_TOKEN_INVALID');
      const payload = jwt.verify(token, secret, {
        algorithms: ['HS256'],
        issuer: this.settings.accounts.issuer,
        audience,
      });
      return claimsSchema.parse(payload);
    } catch (error) {
      throw new AppError('ACCESS_TOKEN_INVALID', { cause: error });
    }
  }
}

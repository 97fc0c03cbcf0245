import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { atMost } from '../../infrastructure/cache.ts';
import { clock } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Settings } from '../../settings/settings.ts';
import { Jwts } from './jwts.ts';

const claimsSchema = z.object({
  sub: z.uuid(),
  sid: z.uuid(),
  /** `rehearsal`: of an agent too, to try a new version of it. */
  typ: z.enum(['access', 'agent', 'rehearsal']),
  exp: z.number(),
});

export type Claims = z.infer<typeof claimsSchema>;

/** What a token is signed for; a refresh token is looked up by its hash alone, so it is never verified. */
type SignedClaims = Pick<Claims, 'sub' | 'sid'> & { typ: Claims['typ'] | 'refresh' };

/** Tokens for people and agents (contract §3). */
export class Tokens {
  private readonly jwts: Jwts;
  /** Signatures already verified: a token is used many times, and its text determines its claims. */
  private readonly verified = new LRUCache<string, Claims>(atMost(50_000));

  constructor(settings: Settings) {
    this.jwts = new Jwts(settings, 'parley');
  }

  /** @param seconds how long it is valid */
  sign(claims: SignedClaims, seconds: number): string {
    return this.jwts.sign(claims, newId(), new Date(clock.now() + seconds * 1000));
  }

  /** @throws AppError ACCESS_TOKEN_INVALID */
  verify(token: string): Claims {
    const known = this.verified.get(token);
    if (known && known.exp * 1000 > clock.now()) return known;
    const claims = this.jwts.verify(token, claimsSchema);
    this.verified.set(token, claims);
    return claims;
  }
}

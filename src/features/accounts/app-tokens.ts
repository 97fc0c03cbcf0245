import { z } from 'zod';
import { clock } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Settings } from '../../settings/settings.ts';
import { Jwts } from './jwts.ts';

/** The prefix of access tokens of apps (contract §3, OAuth apps). */
export const appTokenPrefix = 'oat_';

const claimsSchema = z.object({ sub: z.uuid(), sid: z.uuid(), app: z.uuid(), iat: z.number(), exp: z.number() });

export type AppClaims = z.infer<typeof claimsSchema>;

/**
 * Signs and checks access tokens of apps. `sid` is what their user allowed the app, which is looked at on each use: a token ends
 * with it, whatever it says itself.
 */
export class AppTokens {
  private readonly jwts: Jwts;

  constructor(settings: Settings) {
    // An audience of its own: no other token is valid as one of these, nor the other way round.
    this.jwts = new Jwts(settings, 'parley-apps');
  }

  /** @param seconds how long it is valid */
  sign(claims: Pick<AppClaims, 'sub' | 'sid' | 'app'>, seconds: number): string {
    return appTokenPrefix + this.jwts.sign(claims, newId(), new Date(clock.now() + seconds * 1000));
  }

  /** @throws AppError ACCESS_TOKEN_INVALID */
  verify(text: string): AppClaims {
    return this.jwts.verify(text.slice(appTokenPrefix.length), claimsSchema);
  }
}

import { z } from 'zod';
import type { Settings } from '../../settings/settings.ts';
import { Jwts } from './jwts.ts';

export const modelTokenPrefix = 'smp_';

/** The name of the cache that knows which tokens are in use. */
export const modelTokenCache = 'model-tokens';

const claimsSchema = z.object({ sub: z.uuid(), jti: z.uuid(), runtime: z.string(), template: z.string().nullable() });

export type ModelClaims = z.infer<typeof claimsSchema>;

/** Signs and checks `smp_` tokens: bound to a user, a runtime and its template (contract §8). */
export class ModelTokens {
  private readonly jwts: Jwts;

  constructor(settings: Settings) {
    // Not the audience of access tokens: without its prefix it is not valid either.
    this.jwts = new Jwts(settings, 'parley-models');
  }

  sign({ jti, ...claims }: ModelClaims, expiresAt: Date): string {
    return modelTokenPrefix + this.jwts.sign(claims, jti, expiresAt);
  }

  /** @throws AppError ACCESS_TOKEN_INVALID */
  verify(text: string): ModelClaims {
    return this.jwts.verify(text.slice(modelTokenPrefix.length), claimsSchema);
  }
}

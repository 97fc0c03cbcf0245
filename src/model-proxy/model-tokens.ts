import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Settings } from '../settings.ts';

export const modelTokenPrefix = 'smp_';

/** Not the audience of access tokens: without its prefix it is good for nothing either. */
const audience = 'parley-models';

const claimsSchema = z.object({ sub: z.uuid(), jti: z.uuid(), runtime: z.string(), template: z.string().nullable() });

export type ModelClaims = z.infer<typeof claimsSchema>;

/** Signs and checks `smp_` tokens: bound to a user, a runtime and its template (contract §8). */
export class ModelTokens {
  private readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  sign({ jti, ...claims }: ModelClaims, expiresAt: Date): string {
    const [signer] = this.settings.jwtSecrets;
    if (!signer) throw new Error('There is no JWT secret.');
    const token = jwt.sign({ ...claims, exp: Math.floor(expiresAt.getTime() / 1000) }, signer.secret, {
      algorithm: 'HS256',
      keyid: signer.kid,
      issuer: this.settings.accounts.issuer,
      audience,
      jwtid: jti,
    });
    return modelTokenPrefix + token;
  }

  /** @throws AppError ACCESS_TOKEN_INVALID */
  verify(text: string): ModelClaims {
    const token = text.slice(modelTokenPrefix.length);
    try {
      const kid = jwt.decode(token, { complete: true })?.header.kid;
      const secret = this.settings.jwtSecrets.find((candidate) => candidate.kid === kid)?.secret;
      if (!secret) throw new AppError('ACCESS_TOKEN_INVALID');
      const { issuer } = this.settings.accounts;
      return claimsSchema.parse(jwt.verify(token, secret, { algorithms: ['HS256'], issuer, audience }));
    } catch (error) {
      throw new AppError('ACCESS_TOKEN_INVALID', { cause: error });
    }
  }
}

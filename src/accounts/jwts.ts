import jwt from 'jsonwebtoken';
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Settings } from '../settings.ts';

type Secrets = Pick<Settings, 'jwtSecrets' | 'accounts'>;

/** JWTs of one audience (contract §3): HS256, several secrets at once so that they can be rotated; `kid` says which. */
export class Jwts {
  private readonly settings: Secrets;
  private readonly audience: string;

  constructor(settings: Secrets, audience: string) {
    this.settings = settings;
    this.audience = audience;
  }

  /** @param id its `jti` */
  sign(claims: object, id: string, expiresAt: Date): string {
    const [signer] = this.settings.jwtSecrets;
    if (!signer) throw new Error('There is no JWT secret.');
    return jwt.sign({ ...claims, exp: Math.floor(expiresAt.getTime() / 1000) }, signer.secret, {
      algorithm: 'HS256',
      keyid: signer.kid,
      issuer: this.settings.accounts.issuer,
      audience: this.audience,
      jwtid: id,
    });
  }

  /** The claims of a token that was signed here for this audience and has not ended. @throws AppError ACCESS_TOKEN_INVALID */
  verify<S extends z.ZodType>(token: string, claims: S): z.output<S> {
    try {
      const kid = jwt.decode(token, { complete: true })?.header.kid;
      const secret = this.settings.jwtSecrets.find((candidate) => candidate.kid === kid)?.secret;
      if (!secret) throw new AppError('ACCESS_TOKEN_INVALID');
      const { issuer } = this.settings.accounts;
      return claims.parse(jwt.verify(token, secret, { algorithms: ['HS256'], issuer, audience: this.audience }));
    } catch (error) {
      throw new AppError('ACCESS_TOKEN_INVALID', { cause: error });
    }
  }
}

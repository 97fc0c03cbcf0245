import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { clock } from '../../infrastructure/clock.ts';
import { isNamed, type JwtSecret } from '../../settings/jwt-secrets.ts';
import type { Settings } from '../../settings/settings.ts';

type Secrets = Pick<Settings, 'jwtSecrets' | 'accounts'>;

/** JWTs of one audience (contract §3): HS256, with several secrets at once for rotation; `kid` says which. */
export class Jwts {
  private readonly issuer: string;
  private readonly audience: string;
  /** Created once: from text, jsonwebtoken creates a key for each token, which takes longer than all the rest. */
  private readonly keys: (JwtSecret & { key: KeyObject })[];
  /** The keys of headers that verified tokens had, by their text: all tokens that one key signs begin with the same one. */
  private readonly byHeader = new Map<string, KeyObject>();

  constructor({ jwtSecrets, accounts }: Secrets, audience: string) {
    this.issuer = accounts.issuer;
    this.audience = audience;
    this.keys = jwtSecrets.map((secret) => ({ ...secret, key: createSecretKey(secret.secret, 'utf8') }));
  }

  /** @param id its `jti` */
  sign(claims: object, id: string, expiresAt: Date): string {
    const [signer] = this.keys;
    if (!signer) throw new Error('There is no JWT secret.');
    return jwt.sign({ ...claims, iat: inSeconds(clock.now()), exp: inSeconds(expiresAt.getTime()) }, signer.key, {
      algorithm: 'HS256',
      keyid: signer.kid,
      issuer: this.issuer,
      audience: this.audience,
      jwtid: id,
    });
  }

  /** The claims of an unexpired token signed here for this audience. @throws AppError ACCESS_TOKEN_INVALID */
  verify<S extends z.ZodType>(token: string, claims: S): z.output<S> {
    try {
      const header = token.slice(0, token.indexOf('.'));
      const key = this.byHeader.get(header) ?? this.keyOf(token);
      if (!key) throw new AppError('ACCESS_TOKEN_INVALID');
      const { issuer, audience } = this;
      const options = { issuer, audience, clockTimestamp: inSeconds(clock.now()) };
      const verified = jwt.verify(token, key, { algorithms: ['HS256'], ...options });
      if (this.byHeader.size < maxHeaders) this.byHeader.set(header, key);
      return claims.parse(verified);
    } catch (error) {
      throw new AppError('ACCESS_TOKEN_INVALID', { cause: error });
    }
  }

  private keyOf(token: string): KeyObject | undefined {
    const kid = jwt.decode(token, { complete: true })?.header.kid;
    return this.keys.find((candidate) => isNamed(candidate, kid))?.key;
  }
}

/** Each secret has two names, and versions may have written headers in their own way. */
const maxHeaders = 20;

const inSeconds = (ms: number): number => Math.floor(ms / 1000);

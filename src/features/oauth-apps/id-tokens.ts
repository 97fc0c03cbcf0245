import { createPrivateKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, SignJWT } from 'jose';
import type { KeySet, UserInfo } from '../../contract/oauth-protocol.ts';
import { clock } from '../../infrastructure/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import { rsaKeyFrom } from './rsa-key.ts';

type PublicKey = KeySet['keys'][number];

/** A key that signs id tokens, and what others check them with. */
interface SigningKey {
  key: KeyObject;
  shown: PublicKey;
}

/** What an id token says besides who signed in: when they did, and the nonce that the app gave. */
interface SignedIn {
  auth_time: number;
  nonce?: string;
}

const idTokenSeconds = 3600;

/**
 * Id tokens (OpenID Connect Core §2), which other tools check by the published keys. They are signed by RS256, which every client
 * has to know. The keys are computed from the JWT secrets, once they are needed: so all nodes have the same, nothing is stored, and
 * they are rotated together; those of older secrets stay published.
 */
export class IdTokens {
  private readonly secrets: string[];
  private made: Promise<SigningKey[]> | undefined;

  constructor({ jwtSecrets }: Pick<Settings, 'jwtSecrets'>) {
    this.secrets = jwtSecrets.map(({ secret }) => secret);
  }

  async keys(): Promise<KeySet> {
    return { keys: (await this.signers()).map(({ shown }) => shown) };
  }

  /** @param about who signed in, for which app */
  async sign(issuer: string, about: UserInfo & SignedIn, appId: string): Promise<string> {
    const [signer] = await this.signers();
    if (!signer) throw new Error('There is no JWT secret.');
    const now = Math.floor(clock.now() / 1000);
    return new SignJWT({ ...about })
      .setProtectedHeader({ alg: 'RS256', kid: signer.shown.kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(appId)
      .setIssuedAt(now)
      .setExpirationTime(now + idTokenSeconds)
      .sign(signer.key);
  }

  private signers(): Promise<SigningKey[]> {
    this.made ??= Promise.all(this.secrets.map(keyFrom));
    return this.made;
  }
}

async function keyFrom(secret: string): Promise<SigningKey> {
  const { e, n, ...rest } = await rsaKeyFrom(secret, 'parley-id-tokens');
  const publicKey = { kty: 'RSA', e, n } as const;
  const key = createPrivateKey({ key: { ...publicKey, ...rest }, format: 'jwk' });
  const kid = await calculateJwkThumbprint(publicKey);
  return { key, shown: { ...publicKey, kid, alg: 'RS256', use: 'sig' } };
}

import { createECDH, createHash, createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { KeySet, UserInfo } from '../../contract/oauth-protocol.ts';
import { clock } from '../../infrastructure/clock.ts';
import type { Settings } from '../../settings/settings.ts';

type PublicKey = KeySet['keys'][number];

/** A key that signs id tokens, and what others check them with. */
interface SigningKey {
  key: KeyObject;
  shown: PublicKey;
}

const idTokenSeconds = 3600;

/**
 * Id tokens (OpenID Connect Core §2), which other tools check by the published keys. The keys are computed from the JWT secrets:
 * so all nodes have the same, nothing is stored, and they are rotated together; those of older secrets stay published.
 */
export class IdTokens {
  private readonly signers: SigningKey[];

  constructor({ jwtSecrets }: Pick<Settings, 'jwtSecrets'>) {
    this.signers = jwtSecrets.map(({ secret }) => keyFrom(secret));
  }

  get keys(): KeySet {
    return { keys: this.signers.map(({ shown }) => shown) };
  }

  /** @param about who signed in, for which app, and the nonce that the app gave */
  sign(issuer: string, about: UserInfo & { nonce?: string }, appId: string): Promise<string> {
    const [signer] = this.signers;
    if (!signer) throw new Error('There is no JWT secret.');
    const now = Math.floor(clock.now() / 1000);
    return new SignJWT({ ...about })
      .setProtectedHeader({ alg: 'ES256', kid: signer.shown.kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(appId)
      .setIssuedAt(now)
      .setExpirationTime(now + idTokenSeconds)
      .sign(signer.key);
  }
}

/** The order of P-256: a private key is a number from 1 to one less than it. */
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

/** 48 bytes instead of 32 leave no number more likely than another (FIPS 186-5 A.2.1). */
function keyFrom(secret: string): SigningKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'parley-id-tokens', 48));
  const number = (BigInt(`0x${bytes.toString('hex')}`) % (order - 1n)) + 1n;
  const d = Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicKey = { crv: 'P-256', kty: 'EC', x, y } as const;
  // Its thumbprint (RFC 7638).
  const kid = createHash('sha256').update(JSON.stringify(publicKey)).digest('base64url');
  const key = createPrivateKey({ key: { ...publicKey, d: d.toString('base64url') }, format: 'jwk' });
  return { key, shown: { ...publicKey, kid, alg: 'ES256', use: 'sig' } };
}

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Creation {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

interface Asked {
  challenge: string;
  rpId: string;
}

interface Credential {
  id: Buffer;
  key: KeyObject;
  userHandle: string;
}

const flag = { present: 0x01, verified: 0x04, attested: 0x40 };
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();
const text = (bytes: Buffer) => bytes.toString('base64url');

/** A byte string of up to 255 bytes in CBOR. */
const bytes = (value: Buffer) => Buffer.concat([Buffer.from([0x58, value.length]), value]);

/** A browser with a passkey in it, as WebAuthn describes them: ES256, no attestation. */
export class Authenticator {
  /** How often it says that it was used; null: it does not count. */
  counter: number | null = null;
  verifiesUser = true;
  private readonly origin: string;
  private credential: Credential | undefined;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** What `navigator.credentials.create` returns, as JSON. */
  create({ challenge, rp, user }: Creation) {
    const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const id = randomBytes(16);
    this.credential = { id, key, userHandle: user.id };
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
    const cose = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      bytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      bytes(Buffer.from(y, 'base64url')),
    ]);
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
    const authData = Buffer.concat([this.head(rp.id, flag.attested), attested]);
    // {"fmt": "none", "attStmt": {}, "authData": …}
    const attestation = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from('fmt'),
      Buffer.from([0x64]),
      Buffer.from('none'),
      Buffer.from([0x67]),
      Buffer.from('attStmt'),
      Buffer.from([0xa0, 0x68]),
      Buffer.from('authData'),
      bytes(authData),
    ]);
    const clientDataJSON = text(this.clientData('webauthn.create', challenge));
    const response = { clientDataJSON, attestationObject: text(attestation), transports: ['internal'] };
    return { id: text(id), rawId: text(id), type: 'public-key', response };
  }

  /** What `navigator.credentials.get` returns, as JSON. */
  get({ challenge, rpId }: Asked) {
    const credential = this.credential;
    if (!credential) throw new Error('There is no passkey in it.');
    if (this.counter !== null) this.counter++;
    const authData = this.head(rpId, 0);
    const clientData = this.clientData('webauthn.get', challenge);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), credential.key);
    const response = {
      clientDataJSON: text(clientData),
      authenticatorData: text(authData),
      signature: text(signature),
      userHandle: credential.userHandle,
    };
    return { id: text(credential.id), rawId: text(credential.id), type: 'public-key', response };
  }

  private head(rpId: string, flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter ?? 0);
    const all = flags | flag.present | (this.verifiesUser ? flag.verified : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([all]), count]);
  }

  private clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }
}

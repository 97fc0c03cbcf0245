import { createHmac } from 'node:crypto';
import type { JwtSecret } from '../settings/jwt-secrets.ts';
import { equalInConstantTime } from './constant-time.ts';

/** Signatures of outside addresses that this site may be asked for. They last, so that browsers keep what they fetched. */
export class SignedAddresses {
  private readonly secrets: JwtSecret[];

  /** @param secrets the first one signs, all of them verify */
  constructor(secrets: JwtSecret[]) {
    this.secrets = secrets;
  }

  /** @returns URL-safe text */
  sign(address: string): string {
    const [first] = this.secrets;
    if (!first) throw new Error('There is no secret to sign with.');
    return mac(first.secret, address);
  }

  isSigned(address: string, signature: string): boolean {
    return this.secrets.some(({ secret }) => equalInConstantTime(mac(secret, address), signature));
  }
}

/** The signature covers the purpose, so that nothing else signed with the same secret is accepted. */
function mac(secret: string, address: string): string {
  return createHmac('sha256', secret).update(`parley-outside-picture\n${address}`).digest('base64url');
}

import { checkPrime, hkdf } from 'node:crypto';
import { promisify } from 'node:util';

/** The numbers of an RSA key as a JWK has them (RFC 7518 §6.3). */
type RsaNumbers = Record<'n' | 'e' | 'd' | 'p' | 'q' | 'dp' | 'dq' | 'qi', string>;

const [derive, isPrime] = [promisify(hkdf), promisify(checkPrime)];
const exponent = 65537n;
/** Of each prime. */
const bytes = 128;
/** With its first two bits and the last one the product of two such has 2048 bits, and none is even. */
const fixedBits = (0b11n << 1022n) | 1n;

/**
 * An RSA key of 2048 bits that is computed from a secret: the same on all nodes, without being kept anywhere. It takes some tenths
 * of a second. @param purpose for each there is another key
 */
export async function rsaKeyFrom(secret: string, purpose: string): Promise<RsaNumbers> {
  const [p, q] = await Promise.all([primeFrom(secret, `${purpose} p`), primeFrom(secret, `${purpose} q`)]);
  const d = inverse(exponent, (p - 1n) * (q - 1n));
  const [dp, dq, qi] = [d % (p - 1n), d % (q - 1n), inverse(q, p)];
  return {
    ...{ n: textOf(p * q), e: textOf(exponent), d: textOf(d), p: textOf(p), q: textOf(q) },
    ...{ dp: textOf(dp), dq: textOf(dq), qi: textOf(qi) },
  };
}

/** Each candidate is drawn anew, so that no prime is more likely than another; about one in 350 is one. */
async function primeFrom(secret: string, name: string): Promise<bigint> {
  for (let i = 0; ; i++) {
    const drawn = Buffer.from(await derive('sha256', secret, '', `${name} ${i}`, bytes)).toString('hex');
    const candidate = BigInt(`0x${drawn}`) | fixedBits;
    if (candidate % exponent !== 1n && (await isPrime(candidate))) return candidate;
  }
}

/** The number that gives 1 with this one, by the extended algorithm of Euclid. */
function inverse(number: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [number % modulus, modulus, 1n, 0n];
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return ((x % modulus) + modulus) % modulus;
}

function textOf(number: bigint): string {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}

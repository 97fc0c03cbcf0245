import { randomBytes } from 'node:crypto';

const count = 10;
/** 32 letters and digits that are not mistaken for others. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789';
const letters = 16;

/** Ten codes of 80 random bits, in groups of four: `k3xv-7q2m-…`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const text = [...randomBytes(letters)].map((byte) => alphabet[byte % alphabet.length]).join('');
    return text.replace(/.{4}(?=.)/g, '$&-');
  });
}

/** As it is hashed, however it was typed. */
export const plainCode = (code: string): string => code.toLowerCase().replace(/[^a-z0-9]/g, '');

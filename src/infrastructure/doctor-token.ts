import { createHmac } from 'node:crypto';
import type { JwtSecret } from '../settings/jwt-secrets.ts';
import { equalInConstantTime } from './constant-time.ts';

/** The header with which `parley doctor` shows that it has the secrets of the node that it asks. */
export const doctorHeader = 'x-parley-doctor';
/** Where a node answers it. */
export const doctorPath = '/doctorz';

/** How long a token is taken: the clocks of two machines may differ. */
const takenMs = 5 * 60_000;

const sign = (secret: string, at: number) => createHmac('sha256', secret).update(`parley doctor\n${at}`).digest('hex');

/** @param at the time, in ms */
export function doctorToken([secret]: JwtSecret[], at: number): string {
  // The measured clock has fractions, and a dot ends the time.
  const ms = Math.round(at);
  return secret ? `${ms}.${sign(secret.secret, ms)}` : '';
}

/** Whether a token was made lately by someone who has one of these secrets. */
export function isDoctorToken(secrets: JwtSecret[], given: string, now: number): boolean {
  const [time, mac] = given.split('.');
  const at = Number(time);
  if (mac === undefined || !(Math.abs(now - at) <= takenMs)) return false;
  return secrets.some(({ secret }) => equalInConstantTime(sign(secret, at), mac));
}

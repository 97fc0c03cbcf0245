import { personByEmail } from '../../access/user.table.ts';
import type { Rows } from '../../database/database.ts';
import { type Networks, networksOf } from '../../infrastructure/client-address.ts';
import type { Attempt, LimitName, Quota, RateLimits } from '../../infrastructure/rate-limits.ts';
import { hashSecret } from './secrets.ts';
import type { Device } from './sessions/device.ts';
import type { KnownDevices } from './sessions/known-devices.ts';

/**
 * Where a request about an account comes from: from a stranger at some address, or from something that is known to be of the
 * account: a device that has signed in, a session, a mailed link. What strangers do uses up nothing of the known ones.
 */
export type Source = { stranger: Networks } | { known: string };

/** A limit for each source, and one for all strangers together, and as much for all known ones. */
interface Pair {
  own: LimitName;
  all: LimitName;
}

const passwords: Pair = { own: 'loginFailures', all: 'accountFailures' };
const mails: Pair = { own: 'mailbox', all: 'mailboxTotal' };

export const strangerAt = (ip: string): Source => ({ stranger: networksOf(ip) });

/** Where a request about an account comes from that a device sends before it is signed in. */
export function sourceOf({ ip, token }: Pick<Device, 'ip' | 'token'>, userId: string, devices: KnownDevices): Source {
  const known = devices.read(token);
  return known?.userId === userId ? { known: `device ${known.id}` } : strangerAt(ip);
}

/** The same about the account of an address, if it has one. */
export async function sourceAbout(
  email: string,
  device: Pick<Device, 'ip' | 'token'>,
  { rows, devices }: { rows: Rows; devices: KnownDevices },
): Promise<Source> {
  if (!devices.read(device.token)) return strangerAt(device.ip);
  return sourceOf(device, (await personByEmail(rows, email))?.id ?? '', devices);
}

/** A text by which a source is recognised, and which does not tell what it is. */
export function sourceKey(source: Source): string {
  return hashSecret('known' in source ? source.known : source.stranger.own);
}

/** Counts a password for an account, which may be wrong. */
export function attemptPassword(limits: RateLimits, account: string, source: Source): Promise<Attempt> {
  return attempt(limits, passwords, account, source);
}

/** Counts a mail. @param what the mailbox that it goes to, and what for */
export async function takeMail(limits: RateLimits, what: string, source: Source): Promise<Quota | null> {
  return (await attempt(limits, mails, what, source)).quota;
}

function attempt(limits: RateLimits, { own, all }: Pair, subject: string, source: Source): Promise<Attempt> {
  const counted =
    'known' in source
      ? [
          { name: own, key: `${subject} ${source.known}` },
          { name: all, key: `${subject} known` },
        ]
      : [...limits.ofAddress(own, source.stranger, subject), { name: all, key: `${subject} strangers` }];
  return limits.attempt(counted);
}

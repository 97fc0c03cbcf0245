import { addressRange } from '../../../infrastructure/client-address.ts';
import { type Device, nameOf } from '../sessions/device.ts';

/** Where something came from, as far as it is shown. */
export interface Origin {
  /** In our own words, by the user agent: a name that the client chose might say anything, and this is mailed. */
  device: string | null;
  /** A range of addresses. */
  place: string | null;
}

export function originOf({ userAgent, ip }: Pick<Device, 'userAgent'> & { ip: string | null }): Origin {
  const device = nameOf({ deviceName: null, userAgent, ip: ip ?? '' });
  return { device, place: ip === null ? null : (addressRange(ip) ?? null) };
}

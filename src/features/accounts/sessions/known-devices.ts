import { z } from 'zod';
import { clock } from '../../../infrastructure/clock.ts';
import { newId } from '../../../infrastructure/ids.ts';
import type { Settings } from '../../../settings/settings.ts';
import { Jwts } from '../jwts.ts';

const claimsSchema = z.object({ sub: z.uuid(), jti: z.uuid() });

/** A device on which a user has signed in before. */
export interface KnownDevice {
  userId: string;
  id: string;
}

/**
 * Tokens by which a device shows that its user has signed in there before (contract §3). They let nobody in: whoever brings one
 * has tries of their own, which strangers cannot use up.
 */
export class KnownDevices {
  private readonly jwts: Jwts;
  private readonly seconds: number;

  constructor(settings: Settings) {
    this.jwts = new Jwts(settings, 'parley-device');
    this.seconds = settings.accounts.deviceTokenSeconds;
  }

  /** A token for the device of a sign-in; it stays the same device as long as it brings its last one. */
  issue(userId: string, before: string | undefined): string {
    const known = this.read(before);
    const id = known?.userId === userId ? known.id : newId();
    return this.jwts.sign({ sub: userId }, id, new Date(clock.now() + this.seconds * 1000));
  }

  /** @returns null for whatever is not a valid token: such a device is a stranger, and nothing else */
  read(token: string | undefined): KnownDevice | null {
    if (token === undefined) return null;
    try {
      const { sub: userId, jti: id } = this.jwts.verify(token, claimsSchema);
      return { userId, id };
    } catch {
      return null;
    }
  }
}

import type { Change } from '../../../delivery/changes.ts';
import type { Device } from '../sessions/device.ts';
import { forgetDevice, rememberDevice, sessionOrigins, userAgentOf } from './known-devices.table.ts';
import { originOf } from './origin.ts';
import type { SecurityNotices } from './security-notices.ts';

/** From where accounts are signed in to: their owners are mailed what is new (contract §3). */
export class SignIns {
  private readonly notices: Pick<SecurityNotices, 'notify'>;

  constructor(notices: SignIns['notices']) {
    this.notices = notices;
  }

  /** An account was made from here: to sign in to it from here is nothing new. */
  async remember(change: Change, userId: string, device: Device): Promise<void> {
    await this.isNew(change, userId, device);
  }

  /** A sign-in, before it has a session. */
  async check(change: Change, userId: string, device: Device): Promise<void> {
    if (!(await this.isNew(change, userId, device))) return;
    if (!(await isInUse(change, userId, device))) await this.notices.notify(change, userId, 'sign-in', { device });
  }

  /** A session was ended by its owner: whoever signs in with that kind of device next is news. */
  async forget(change: Change, userId: string, sessionId: string): Promise<void> {
    const userAgent = await userAgentOf(change.rows, userId, sessionId);
    await forgetDevice(change.rows, userId, originOf({ userAgent, ip: null }).device ?? '');
  }

  private isNew({ rows }: Change, userId: string, device: Device): Promise<boolean> {
    const { device: name, place } = originOf(device);
    return rememberDevice(rows, userId, name ?? '', place ?? '');
  }
}

/** Whether a session is in use there: it came from elsewhere, or is of an earlier version, which remembered nothing. */
async function isInUse({ rows }: Change, userId: string, device: Device): Promise<boolean> {
  const here = originOf(device);
  const origins = (await sessionOrigins(rows, userId)).map(originOf);
  return origins.some(({ device: name, place }) => name === here.device && place === here.place);
}

import type { OAuthApp } from '../../database/entities/oauth-app.entity.ts';
import { PersonalToken } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import type { SecurityNotices } from '../accounts/notices/security-notices.ts';
import type { Device } from '../accounts/sessions/device.ts';

type Told = Pick<OAuthApp, 'id' | 'name'>;

/** Mails people what they have allowed for the first time: somebody else may have, with their session. */
export class ConsentNotices {
  private readonly notices: Pick<SecurityNotices, 'notify'>;

  constructor(notices: Pick<SecurityNotices, 'notify'>) {
    this.notices = notices;
  }

  /** One of the last steps of the change. */
  async allowed(change: Change, userId: string, app: Told, device: Device): Promise<void> {
    const before = await change.em.count(PersonalToken, { userId, appId: app.id });
    if (before === 0) await this.notices.notify(change, userId, 'app-allowed', { device, detail: app.name });
  }
}

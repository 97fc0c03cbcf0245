import { randomBytes } from 'node:crypto';
import type { Change } from '../../delivery/changes.ts';
import type { NotificationQueue } from '../../jobs/notification.jobs.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Audience } from '../members/audience.ts';

export const newInviteCode = (): string => randomBytes(9).toString('base64url');

/** The codes with which people join servers (contract §5). */
export class InviteCodes {
  private readonly audience: Audience;
  private readonly notifications: NotificationQueue;
  private readonly renewOnRemoval: boolean;

  constructor(parts: { audience: Audience; notifications: NotificationQueue; settings: Settings }) {
    this.audience = parts.audience;
    this.notifications = parts.notifications;
    this.renewOnRemoval = parts.settings.servers.renewInviteOnRemoval;
  }

  /** Replaces the code of a server, and tells its members. @returns the new one */
  async renew(change: Change, serverId: string): Promise<string> {
    const code = newInviteCode();
    await change.rows('UPDATE servers SET invite_code = $2, updated_at = now() WHERE id = $1', [serverId, code]);
    await this.notifications.settle(change, serverId);
    await this.audience.tell(change, { serverId, channelId: null });
    return code;
  }

  /** The same, where the operator wants it, after someone who knew the code was removed. Bots are shown none. */
  async renewAfterRemoval(change: Change, serverId: string, removed: { isBot: boolean }): Promise<void> {
    if (this.renewOnRemoval && !removed.isBot) await this.renew(change, serverId);
  }
}

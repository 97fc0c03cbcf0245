import { randomBytes } from 'node:crypto';
import { Server } from '../../database/entities/server.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { Context } from '../context.ts';
import type { Audience } from '../members/audience.ts';

export const newInviteCode = (): string => randomBytes(9).toString('base64url');

interface Deps extends Pick<Context, 'notifications' | 'settings'> {
  audience: Audience;
}

/** The codes with which people join servers (contract §5). */
export class InviteCodes {
  private readonly deps: Deps;
  private readonly renewOnRemoval: boolean;

  constructor(deps: Deps) {
    this.deps = deps;
    this.renewOnRemoval = deps.settings.servers.renewInviteOnRemoval;
  }

  /** Replaces the code of a server, and publishes that to its members. @returns the new one */
  async renew(change: Change, serverId: string): Promise<string> {
    const code = newInviteCode();
    await change.em.nativeUpdate(Server, serverId, { inviteCode: code, updatedAt: dateNow() });
    await this.deps.notifications.settle(change, serverId);
    await this.deps.audience.publish(change, { serverId, channelId: null });
    return code;
  }

  /** The same, if the operator enabled it, after someone who knew the code was removed. Bots are shown none. */
  async renewAfterRemoval(change: Change, serverId: string, removed: { isBot: boolean }): Promise<void> {
    if (this.renewOnRemoval && !removed.isBot) await this.renew(change, serverId);
  }
}

import type { ChannelRecord, ServerRecord } from '../../../client/index.ts';
import { isKeptInTimeout } from '../../../contract/standing.ts';
import type { Restraints } from './restraints.ts';

/** A permission in a server. */
export type Permission = NonNullable<ServerRecord['permissions']>[number];
/** One that a channel may decide about for itself. */
export type ChannelPermission = ChannelRecord['permissions'][number];

type InServer = Pick<ServerRecord, 'id' | 'permissions'>;
type InChannel = Pick<ChannelRecord, 'serverId' | 'permissions'>;

/** What the user may do, as the records of servers and channels say, and less while they are timed out. */
export class OwnRights {
  private readonly restraints: Restraints;

  constructor(restraints: Restraints) {
    this.restraints = restraints;
  }

  /** Whether the user may do something in a server; outsiders may do nothing. */
  may(server: InServer | null | undefined, permission: Permission): boolean {
    if (!server?.permissions?.includes(permission)) return false;
    return isKeptInTimeout(permission) || !this.isTimedOut(server.id);
  }

  /** The same in a channel, or a direct message. */
  mayIn({ serverId, permissions }: InChannel, permission: ChannelPermission): boolean {
    return permissions.includes(permission) && !(serverId && this.isTimedOut(serverId));
  }

  private isTimedOut(serverId: string): boolean {
    return this.restraints.timeouts.value.has(serverId);
  }
}

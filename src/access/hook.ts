import type { Actor } from '../contract/actor.ts';
import type { Permission, Rights } from '../contract/roles.ts';

/**
 * What an incoming webhook may do in its channel (contract §6, Incoming webhooks): those who manage the channel made it, and
 * overrides are not about it.
 */
const hookRights: Rights = {
  role: 'member',
  isHeldBack: false,
  place: 0,
  roleIds: [],
  permissions: new Set<Permission>(['message:post', 'channel:announce', 'message:skip-slow-mode', 'file:attach']),
  timeout: null,
  untimed: null,
};

/** A channel as an incoming webhook sees it: it is in its own, and knows of no other. */
export function seenByHook<C extends { id: string; serverId: string | null }>(
  { hookChannelId }: Actor,
  channel: C | undefined,
) {
  if (channel?.id !== hookChannelId || channel?.serverId === null) return undefined;
  return channel && { ...channel, role: hookRights.role, rights: hookRights, isMember: true, isOpen: false };
}

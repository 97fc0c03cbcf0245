import { readChannels, readEntries } from '../../access/channel.table.ts';
import { isAbove, rightsInChannel } from '../../access/rights.ts';
import { placeIn } from '../../access/view.ts';
import type { Actor } from '../../contract/actor.ts';
import type { ChannelType } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type ChannelRight,
  channelRights,
  type Permission,
  type Rights,
  requirePermission,
} from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';
import type { RoleOverride } from './role-overrides.table.ts';

/** Nobody gives in a channel what they do not have there. @throws AppError ROLE_REQUIRED */
export function requireRightsThere(rights: Rights, type: ChannelType, given: readonly ChannelRight[]): void {
  for (const right of given) for (const name of meantIn(type, right)) requirePermission(rights, name);
}

/** Whoever knows of a channel may let others view it; that only admins announce matters where it is announced. */
function meantIn(type: ChannelType, right: ChannelRight): readonly Permission[] {
  if (right === 'view') return [];
  return channelRights[right].filter((name) => name !== 'channel:announce' || type === 'announcement');
}

/**
 * Whoever gives a role, or takes it, has in each of the channels that override it what they give by that: what the channel
 * allows the role, or what it then denies no longer (contract §5). Nobody has anything in a channel that they do not know of.
 * @param rights what the actor may do in the server
 * @param given the overrides of the role
 * @throws AppError ROLE_REQUIRED
 */
export async function requireToHaveThere(
  rows: Rows,
  { userId, user: { isBot } }: Actor,
  rights: Rights,
  given: readonly RoleOverride[],
  list: 'allow' | 'deny',
): Promise<void> {
  const some = given.filter((one) => one[list].length > 0);
  if (some.length === 0 || (isAbove(rights) && !rights.isHeldBack)) return;
  const channelIds = some.map(({ channelId }) => channelId);
  const channels = await readChannels(rows, channelIds);
  const keyOf = (channelId: string) => `${channelId}:${userId}`;
  const entries = await readEntries(rows, channelIds.map(keyOf));
  for (const one of some) {
    const channel = channels.get(one.channelId);
    if (!channel) continue;
    const { excluded } = entries.get(keyOf(channel.id)) ?? { excluded: null };
    if (!placeIn(rights, channel, { id: userId, isBot, excluded }).mayKnow) {
      throw new AppError('ROLE_REQUIRED', { message: 'Channels give or deny this role what you do not have there.' });
    }
    requireRightsThere(rightsInChannel(rights, channel, userId), channel.type, one[list]);
  }
}

import { may, type Rights } from '../contract/roles.ts';
import { isAbove, type Overridden, overridesOfRoles } from './rights.ts';

/** What decides whether someone of a server is in a channel, apart from overrides of roles. */
interface Place {
  /** A private channel, or a DM. */
  isPrivate: boolean;
  isBot: boolean;
  /** Of the row in `channel_members`: false for those let in, true for those removed, null without a row. */
  excluded: boolean | null;
  /** What `isDenied` says. */
  isDenied: boolean;
}

/**
 * Who of a server is in a channel (contract §5; `selectIsInChannel` is the same in SQL). Whoever was let in or removed has a
 * row in `channel_members`. Without one a person is in an open channel and not in a private one, unless overrides say
 * otherwise; a bot is in none. A denial of one's own counts against a row, too.
 * @param byOverrides what `viewByOverrides` says
 */
export function isInChannel({ isPrivate, isBot, excluded, isDenied }: Place, byOverrides: boolean | null): boolean {
  return excluded === null ? !isBot && (byOverrides ?? !isPrivate) : !excluded && !isDenied;
}

/**
 * Whether an override for someone alone says that they may not view a channel of their server; it does not bind the owner
 * and admins. `selectIsDenied` is the same in SQL.
 */
export function isDenied(rights: Rights, { overrides }: Overridden, userId: string): boolean {
  return !isAbove(rights) && overrides.some((one) => one.userId === userId && one.deny.includes('view'));
}

/**
 * What the overrides of a channel say about whether a member of its server may view it; null: nothing. Their own denial
 * counts first, then an allowance of one of their roles, then a denial of one; denials do not bind the owner and admins.
 * `selectViewByOverrides` is the same in SQL.
 */
export function viewByOverrides(rights: Rights, channel: Overridden, userId: string): boolean | null {
  if (channel.overrides.length === 0) return null;
  if (isDenied(rights, channel, userId)) return false;
  const ofRoles = overridesOfRoles(rights, channel);
  if (ofRoles.some(({ allow }) => allow.includes('view'))) return true;
  return !isAbove(rights) && ofRoles.some(({ deny }) => deny.includes('view')) ? false : null;
}

/** Someone of a server with their row in `channel_members` (see `Place`). */
interface Viewer {
  id: string;
  isBot: boolean;
  excluded: boolean | null;
}

/**
 * What a member of its server is to a channel: whether they are in it, whether it is open to them, who may have left it, and
 * whether they may know of it (contract §5; `selectMayKnow` is the same in SQL). Those who see private channels know of those
 * that they may enter, but for a channel that they are denied by themselves.
 */
export function placeIn(rights: Rights, channel: Overridden & { isPrivate: boolean }, { id, isBot, excluded }: Viewer) {
  const { isPrivate } = channel;
  const byOverrides = viewByOverrides(rights, channel, id);
  const denied = isDenied(rights, channel, id);
  const isMember = isInChannel({ isPrivate, isBot, excluded, isDenied: denied }, byOverrides);
  const isOpen = isInChannel({ isPrivate, isBot, excluded: null, isDenied: denied }, byOverrides);
  const seesPrivate = may(rights, 'channel:see-private') && !isBot && !denied;
  return { isMember, isOpen, mayKnow: isMember || isOpen || seesPrivate };
}

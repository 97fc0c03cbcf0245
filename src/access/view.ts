import type { Rights } from '../contract/roles.ts';
import { isAbove, type Overridden, overridesOfRoles } from './rights.ts';

/** What decides whether someone of a server is in a channel, apart from overrides. */
interface Place {
  /** A private channel, or a DM. */
  isPrivate: boolean;
  isBot: boolean;
  /** Of the row in `channel_members`: false for those let in, true for those removed, null without a row. */
  excluded: boolean | null;
}

/**
 * Who of a server is in a channel (contract §5; `selectIsInChannel` is the same in SQL). Whoever was let in or removed has a
 * row in `channel_members`. Without one a person is in an open channel and not in a private one, unless overrides say
 * otherwise; a bot is in none.
 * @param byOverrides what `viewByOverrides` says
 */
export function isInChannel({ isPrivate, isBot, excluded }: Place, byOverrides: boolean | null): boolean {
  return excluded === null ? !isBot && (byOverrides ?? !isPrivate) : !excluded;
}

/**
 * What the overrides of a channel say about whether a member of its server may view it; null: nothing. Their own denial
 * counts first, then an allowance of one of their roles, then a denial of one; denials do not bind the owner and admins.
 * `selectViewByOverrides` is the same in SQL.
 */
export function viewByOverrides(rights: Rights, channel: Overridden, userId: string): boolean | null {
  if (channel.overrides.length === 0) return null;
  const isBound = !isAbove(rights);
  const own = channel.overrides.find((override) => override.userId === userId);
  if (isBound && own?.deny.includes('view')) return false;
  const ofRoles = overridesOfRoles(rights, channel);
  if (ofRoles.some(({ allow }) => allow.includes('view'))) return true;
  return isBound && ofRoles.some(({ deny }) => deny.includes('view')) ? false : null;
}

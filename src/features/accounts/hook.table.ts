import type { SmallUser } from '../../contract/actor.ts';
import type { HookFormatName } from '../../contract/hook.ts';
import type { Rows } from '../../database/database.ts';

/** An incoming webhook with its bot user. */
export interface KnownHook {
  id: string;
  channelId: string;
  format: 'auto' | HookFormatName;
  tokenHash: string;
  /** Sealed; null: it takes what is not signed. */
  secret: string | null;
  /** Its last use is noted, to the minute. */
  isNoted: boolean;
  user: SmallUser;
  tier: string;
}

type HookRow = Omit<KnownHook, 'user' | 'id'> & SmallUser & { hookId: string };

const selectHook = `SELECT h.id AS "hookId", h.channel_id AS "channelId", h.format, h.token_hash AS "tokenHash", h.secret,
    coalesce(h.last_used_at >= now() - interval '1 minute', false) AS "isNoted", u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl",
    u.is_bot AS "isBot", u.tier
  FROM hooks h JOIN users u ON u.id = h.user_id`;
const byToken = `${selectHook} WHERE h.token_hash = $1`;
const byUser = `${selectHook} WHERE h.user_id = $1`;

/** By the hash of the token in its address. */
export async function readHook(rows: Rows, tokenHash: string): Promise<KnownHook | undefined> {
  return knownHook((await rows<HookRow>(byToken, [tokenHash]))[0]);
}

/** By its bot user. */
export async function readHookOf(rows: Rows, userId: string): Promise<KnownHook | undefined> {
  return knownHook((await rows<HookRow>(byUser, [userId]))[0]);
}

function knownHook(row: HookRow | undefined): KnownHook | undefined {
  if (!row) return undefined;
  const { hookId, channelId, format, tokenHash, secret, isNoted, tier, ...user } = row;
  return { id: hookId, channelId, format, tokenHash, secret, isNoted, tier, user };
}

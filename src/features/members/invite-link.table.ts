import { selectIsOpenToNewcomers } from '../../access/newcomers.table.ts';
import type { SmallUser } from '../../contract/actor.ts';
import type { Rows } from '../../database/database.ts';

/** The SQL condition that people join with a link. @param link the alias of its row in `server_invites` */
export const selectIsOpen = (link: string): string =>
  `((${link}.over_at IS NULL OR ${link}.over_at > clock_timestamp())
    AND (${link}.max_uses IS NULL OR ${link}.uses < ${link}.max_uses))`;

/** The channel that a link names, where everyone who joins sees it. */
const openChannel = (columns: string) =>
  `(SELECT ${columns} FROM channels c WHERE c.id = i.channel_id AND ${selectIsOpenToNewcomers('c')})`;

const byCode = `SELECT id AS "serverId", NULL::uuid AS "linkId" FROM servers WHERE invite_code = $1
  UNION ALL SELECT i.server_id, i.id FROM server_invites i WHERE i.code = $1 AND ${selectIsOpen('i')} LIMIT 1`;
const use = `UPDATE server_invites i SET uses = uses + 1,
    over_at = CASE WHEN uses + 1 >= max_uses THEN clock_timestamp() ELSE over_at END
  WHERE id = $1 AND ${selectIsOpen('i')}
  RETURNING created_by AS "createdBy", ${openChannel('c.id')} AS "channelId"`;
const details = `SELECT ${openChannel(`json_build_object('id', c.id, 'name', c.name)`)} AS channel,
    CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'username', u.username, 'displayName', u.display_name,
      'avatarUrl', u.avatar_url, 'isBot', u.is_bot) END AS inviter
  FROM server_invites i LEFT JOIN users u ON u.id = i.created_by WHERE i.id = $1`;
const maker = 'SELECT id AS "inviteId", created_by AS "invitedBy" FROM server_invites WHERE id = $1';

/** What a code leads to. */
export interface Door {
  serverId: string;
  /** Null: the code is the server's own. */
  linkId: string | null;
}

/** What a link says besides its server. */
interface LinkDetails {
  channel: { id: string; name: string } | null;
  inviter: SmallUser | null;
}

/** The server that a code opens now: its own code, or that of an open link. */
export async function findDoor(rows: Rows, code: string): Promise<Door | undefined> {
  const [door] = await rows<Door>(byCode, [code]);
  return door;
}

/** Counts one use of a link; the row's lock makes the last one nobody else's. Undefined: nobody joins with it any more. */
export async function useLink(
  rows: Rows,
  linkId: string,
): Promise<{ createdBy: string | null; channelId: string | null } | undefined> {
  const [used] = await rows<{ createdBy: string | null; channelId: string | null }>(use, [linkId]);
  return used;
}

/** What a link shows to whoever has its code. */
export async function linkDetails(rows: Rows, linkId: string): Promise<LinkDetails> {
  const [found] = await rows<LinkDetails>(details, [linkId]);
  return found ?? { channel: null, inviter: null };
}

/** A link and its maker, as far as they are known by now. */
export async function linkAndMaker(
  rows: Rows,
  linkId: string,
): Promise<{ inviteId: string | null; invitedBy: string | null }> {
  const [found] = await rows<{ inviteId: string; invitedBy: string | null }>(maker, [linkId]);
  return found ?? { inviteId: null, invitedBy: null };
}

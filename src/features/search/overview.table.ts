import type { Rows } from '../../database/database.ts';
import type { UserColumns } from '../accounts/account.view.ts';

/** People and bots with these names that are looked at, whomever they share a server with. */
const mostNamed = 2000;

/** SQL of the words of a display name. The index has the same. */
const displayWords = `to_tsvector('simple'::regconfig, regexp_replace(u.display_name, '[^[:alnum:]]+', ' ', 'g'))`;

const columns = 'u.id, u.username, u.username_key, u.display_name, u.avatar_url, u.is_bot';

/**
 * Those with a name that begins so, whom someone shares a server or direct messages with. $1 beginning of a username, $2
 * words of a display name, $3 who asks, $4 one server or null, $5 how many, $6 the
 * servers that count, or null, $7 how many came before
 */
const selectPeople = `WITH named AS MATERIALIZED (
    (SELECT ${columns} FROM users u WHERE u.username_key LIKE $1 AND u.deleted_at IS NULL LIMIT ${mostNamed})
    UNION (SELECT ${columns} FROM users u WHERE ${displayWords} @@ $2::tsquery AND u.deleted_at IS NULL LIMIT ${mostNamed})
  )
  SELECT u.id, u.username, u.display_name, u.avatar_url, u.is_bot FROM named u
  WHERE EXISTS (SELECT FROM server_members own JOIN server_members other ON other.server_id = own.server_id AND other.user_id = u.id
      WHERE own.user_id = $3 AND ($4::uuid IS NULL OR own.server_id = $4) AND ($6::uuid[] IS NULL OR own.server_id = ANY($6)))
    OR $4::uuid IS NULL AND EXISTS (SELECT FROM dm_channels d
      WHERE d.low_id = least(u.id, $3::uuid) AND d.high_id = greatest(u.id, $3::uuid))
    OR $4::uuid IS NULL AND EXISTS (SELECT FROM group_members own
      JOIN group_members other ON other.channel_id = own.channel_id AND other.user_id = u.id WHERE own.user_id = $3)
  ORDER BY u.username_key LIMIT $5 OFFSET $7`;

/** People and bots by the beginning of a name, and one more than `limit`. @param name.words SQL of a `tsquery` */
export function peopleNamed(
  rows: Rows,
  name: { prefix: string; words: string },
  about: { userId: string; serverId: string | null; among: string[] | null; limit: number; offset: number },
): Promise<(UserColumns & { id: string })[]> {
  const prefix = `${name.prefix.replace(/[\\%_]/g, '\\$&')}%`;
  return rows<UserColumns & { id: string }>(selectPeople, [
    prefix,
    name.words,
    about.userId,
    about.serverId,
    about.limit + 1,
    about.among,
    about.offset,
  ]);
}

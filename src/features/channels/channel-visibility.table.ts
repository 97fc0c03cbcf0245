import { selectEntry, selectIsDenied, selectIsInChannel } from '../../access/channel.table.ts';
import type { Role } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';

/** People whose overrides or roles change: these, the holders of own roles, or those with fixed roles (`member`: everyone). */
export type Concerned = { userIds: string[] } | { roleIds: string[] } | { fixedRole: 'moderator' | 'member' };

/** Someone who is in a channel. */
export interface Seat {
  userId: string;
  channelId: string;
}

/** What events say of someone who comes or goes. */
export interface Shown {
  id: string;
  username: string;
  displayName: string;
  avatarUrl: string | null;
}

/** $1 server, $2 what `valueOf` gives. Bots are in channels one by one, whatever their roles. */
const people = (condition: string) =>
  `SELECT m.user_id AS id FROM server_members m JOIN users u ON u.id = m.user_id AND NOT u.is_bot
    WHERE m.server_id = $1 AND ${condition} ORDER BY m.user_id`;
const kinds = {
  users: people('m.user_id = ANY($2::uuid[])'),
  roles: people('m.user_id IN (SELECT h.user_id FROM member_roles h WHERE h.role_id = ANY($2::uuid[]))'),
  fixed: people("($2::text[] @> '{member}' OR m.role = ANY($2::text[]))"),
};
type Kind = keyof typeof kinds;
const some = Object.fromEntries(Object.entries(kinds).map(([kind, text]) => [kind, `${text} LIMIT $3`]));
/** $3 channels, $4 the kind of the jobs, $5 how many people each is for */
const portions = Object.fromEntries(
  Object.entries(kinds).map(([kind, text]) => [
    kind,
    `INSERT INTO jobs (id, kind, data) SELECT gen_random_uuid(), $4,
      json_build_object('serverId', $1::uuid, 'channelIds', $3::uuid[], 'userIds', json_agg(part.id))
    FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / $5 AS place FROM (${text}) AS one) AS part
    GROUP BY part.place`,
  ]),
);

function askedBy(who: Concerned): { kind: Kind; value: string[] } {
  if ('userIds' in who) return { kind: 'users', value: who.userIds };
  if ('roleIds' in who) return { kind: 'roles', value: who.roleIds };
  return { kind: 'fixed', value: [who.fixedRole] };
}

const overridden = `SELECT id FROM channels WHERE server_id = $1 AND view_overridden AND deleted_at IS NULL
  AND ($2::uuid[] IS NULL OR id IN (SELECT channel_id FROM channel_overrides WHERE role_id = ANY($2::uuid[]))) ORDER BY id`;
const seats = `SELECT m.user_id AS "userId", c.id AS "channelId" FROM channels c
  JOIN server_members m ON m.server_id = c.server_id AND m.user_id = ANY($1::uuid[])
  JOIN users u ON u.id = m.user_id
  WHERE c.id = ANY($2::uuid[]) AND c.deleted_at IS NULL
    AND ${selectIsInChannel({ user: 'm.user_id', excluded: selectEntry('m.user_id'), isBot: 'u.is_bot' })}
  ORDER BY m.user_id, c.id`;
/** Whether those are in channel $3 of server $1 about whom no row decides, locked. */
const undecided = `SELECT m.user_id AS id, ${selectIsInChannel({ user: 'm.user_id', excluded: selectEntry('m.user_id') })} AS "isIn"
  FROM server_members m JOIN channels c ON c.id = $3 AND c.server_id = m.server_id AND c.deleted_at IS NULL
  WHERE m.server_id = $1 AND m.user_id = ANY($2::uuid[])
    AND (${selectEntry('m.user_id')} IS NULL OR (NOT ${selectEntry('m.user_id')} AND ${selectIsDenied('m.user_id')}))
  ORDER BY m.user_id FOR NO KEY UPDATE OF m`;
const owners = `SELECT DISTINCT a.owner_id AS id FROM channel_members e JOIN agents a ON a.user_id = e.user_id
  WHERE e.channel_id = $1 AND NOT e.excluded AND a.owner_id = ANY($2::uuid[]) ORDER BY 1`;
/** Whoever is out although they were let in is denied the channel by themselves. */
const dropped = `DELETE FROM channel_members WHERE channel_id = $1 AND user_id = ANY($2::uuid[]) AND NOT excluded
  RETURNING user_id AS id`;
const pointers = `INSERT INTO channel_reads AS r (channel_id, user_id, last_read_seq)
  SELECT s.id, someone.id, s.last_seq FROM streams s CROSS JOIN unnest($2::uuid[]) AS someone (id) WHERE s.id = $1
  ORDER BY someone.id ON CONFLICT (channel_id, user_id) DO UPDATE SET last_read_seq = excluded.last_read_seq
  WHERE $3 AND r.last_read_seq < excluded.last_read_seq`;
const shownOf = `SELECT u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", m.role
  FROM users u JOIN server_members m ON m.server_id = $1 AND m.user_id = u.id WHERE u.id = ANY($2::uuid[])`;

const idsOf = async (rows: Rows, text: string, values: unknown[]) =>
  (await rows<{ id: string }>(text, values)).map(({ id }) => id);

export const visibilityTable = {
  /** The people concerned, by id; `most` at most. */
  people(rows: Rows, serverId: string, who: Concerned, most: number): Promise<string[]> {
    const { kind, value } = askedBy(who);
    return idsOf(rows, some[kind] ?? '', [serverId, value, most]);
  },

  /** Adds a job for each portion of the people concerned, about all of the channels. */
  async insertPortions(rows: Rows, serverId: string, who: Concerned, channelIds: string[], job: string, size: number) {
    const { kind, value } = askedBy(who);
    await rows(portions[kind] ?? '', [serverId, value, channelIds, job, size]);
  },

  /** The channels of a server whose overrides say who views them; of own roles, those that have overrides of them. */
  overridden: (rows: Rows, serverId: string, who: Concerned) =>
    idsOf(rows, overridden, [serverId, 'roleIds' in who ? who.roleIds : null]),

  /** In which of the channels these people are. */
  seats: (rows: Rows, userIds: string[], channelIds: string[]) => rows<Seat>(seats, [userIds, channelIds]),

  undecided: (rows: Rows, serverId: string, userIds: string[], channelId: string) =>
    rows<{ id: string; isIn: boolean }>(undecided, [serverId, userIds, channelId]),

  /** Those of some people whose bots are in a channel. */
  ownersIn: (rows: Rows, channelId: string, userIds: string[]) => idsOf(rows, owners, [channelId, userIds]),

  /** Drops that people who are out of a channel were let in. @returns whose rows that were */
  dropEntries: (rows: Rows, channelId: string, userIds: string[]) => idsOf(rows, dropped, [channelId, userIds]),

  /** Marks a channel as read by people who come. @param isNew whether they were not in it before */
  async markRead(rows: Rows, channelId: string, userIds: string[], isNew: boolean): Promise<void> {
    await rows(pointers, [channelId, userIds, isNew]);
  },

  shown: (rows: Rows, serverId: string, userIds: string[]) =>
    rows<Shown & { role: Role }>(shownOf, [serverId, userIds]),
};

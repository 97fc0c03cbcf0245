import { selectIsInChannel } from '../../access/channel.table.ts';
import type { Actor } from '../../contract/actor.ts';
import type { Rows } from '../../database/database.ts';
import { concernsBot } from '../messages/bots.table.ts';
import { selectMessages } from '../messages/message.table.ts';
import type { MessageRow } from '../messages/message.view.ts';

/** Every channel that a user may read. $1 user, $2 whether it is a bot, $3 one server or null */
const selectReadable = `
  SELECT c.id, c.name, c.server_id AS "serverId" FROM server_members sm
    JOIN channels c ON c.server_id = sm.server_id AND c.deleted_at IS NULL
    LEFT JOIN channel_members cm ON cm.channel_id = c.id AND cm.user_id = sm.user_id
  WHERE sm.user_id = $1 AND ($3::uuid IS NULL OR sm.server_id = $3)
    AND ${selectIsInChannel({ user: 'sm.user_id', excluded: 'cm.excluded', isBot: '$2' })}
  UNION ALL
  SELECT c.id, CASE WHEN c.kind = 'group' THEN c.name ELSE '' END, NULL
    FROM channel_members cm JOIN channels c ON c.id = cm.channel_id AND c.kind <> 'server' AND c.deleted_at IS NULL
  WHERE cm.user_id = $1 AND NOT cm.excluded AND $3::uuid IS NULL
  LIMIT 5000`;

export interface Readable {
  id: string;
  /** Empty for a DM, and for a group without a name. */
  name: string;
  /** Null: a DM or group. */
  serverId: string | null;
}

/** The channels that someone may read. @param serverId null: everywhere */
export function readableChannels(rows: Rows, { user }: Actor, serverId: string | null): Promise<Readable[]> {
  return rows<Readable>(selectReadable, [user.id, user.isBot, serverId]);
}

/** In channels $5 bot $6 finds only what concerns it. */
const mayReadHit = `(w.channel_id <> ALL($5::uuid[])
  OR EXISTS (SELECT FROM messages found WHERE found.id = w.message_id AND ${concernsBot('found', '$6::uuid')}))`;

/** $1 channels, $2 before which message, $3 from which on, $4 how many, $5 and $6 see above */
const isHit = (isLimited: boolean) =>
  `w.channel_id = ANY($1::uuid[]) AND w.message_id < $2 AND w.message_id >= $3
    AND ${isLimited ? mayReadHit : '$5::uuid[] IS NULL AND $6::uuid IS NULL'}`;

/** How many of the newest messages are searched first: what is common is found among them. */
const newest = 2000;

/** $7 query */
const amongNewest = (isLimited: boolean) => `SELECT w.message_id AS id FROM (
    SELECT * FROM search_words WHERE message_id < $2 AND message_id >= $3 ORDER BY message_id DESC LIMIT ${newest}) AS w
  WHERE w.words @@ $7::tsquery AND ${isHit(isLimited)} LIMIT $4`;

/**
 * As many messages as one look takes, in no order: the index has none. More are not read, however common the words are. What
 * is no hit counts, too, or it would cost without end. Each part of the query is a condition of its own: the index then
 * skips what others have not, so that a look costs what its rarest part has. $7 how many, $8 and following parts
 */
const amongSome = (isLimited: boolean, parts: number) => `SELECT count(*)::int AS seen,
    coalesce((array_agg(w.message_id ORDER BY w.message_id DESC) FILTER (WHERE ${isHit(isLimited)}))[1:$4], '{}') AS ids
  FROM (SELECT message_id, channel_id FROM search_words
    WHERE ${Array.from({ length: parts }, (_, at) => `words @@ $${8 + at}::tsquery`).join(' AND ')} LIMIT $7) AS w`;

/** Further parts are one condition. */
const mostParts = 8;

const byParts = (isLimited: boolean) => Array.from({ length: mostParts }, (_, at) => amongSome(isLimited, at + 1));
const texts = {
  newest: { all: amongNewest(false), limited: amongNewest(true) },
  some: { all: byParts(false), limited: byParts(true) },
};

/** The newest message before $1, from $2 on. */
const selectNext =
  'SELECT message_id AS id FROM search_words WHERE message_id < $1 AND message_id >= $2 ORDER BY message_id DESC LIMIT 1';

const selectFitting = `SELECT message_id AS id FROM search_words WHERE message_id = ANY($1::uuid[])
  ORDER BY ts_rank_cd(words, $2::tsquery, 1) DESC, message_id DESC OFFSET $3 LIMIT $4`;

/** Messages that are there, and not changed since they were indexed. */
const selectFound = `${selectMessages} WHERE m.id = ANY($1::uuid[]) AND m.deleted_at IS NULL AND t.deleted_at IS NULL
  AND c.deleted_at IS NULL AND NOT EXISTS (SELECT FROM search_stale s WHERE s.message_id = m.id AND s.is_text)`;

const selectIsBehind =
  'SELECT EXISTS (SELECT FROM search_progress WHERE before_seq > 0 AND channel_id = ANY($1::uuid[])) AS behind';

/** What is searched, and where. */
export interface Sought {
  channelIds: string[];
  /** Only messages with lower ids. */
  before: string;
  /** Only messages with this or higher ids. */
  from: string;
  limit: number;
  /** The channels in which a bot finds only what concerns it; null: there are none. */
  limited: { channelIds: string[]; bot: string } | null;
}

const valuesOf = ({ channelIds, before, from, limit, limited }: Sought): unknown[] => [
  ...[channelIds, before, from, limit],
  ...[limited?.channelIds ?? null, limited?.bot ?? null],
];

/** SQL of a `tsquery` that all parts of another are. */
const together = (parts: string[]) => parts.map((part) => `(${part})`).join(' & ');

/** Messages among the newest of all, newest first. @param parts SQL of `tsquery`s that all must hold */
export async function findNewest(rows: Rows, parts: string[], sought: Sought): Promise<string[]> {
  const text = sought.limited ? texts.newest.limited : texts.newest.all;
  return (await rows<{ id: string }>(text, [...valuesOf(sought), together(parts)])).map(({ id }) => id);
}

/** Messages among the first `most` that have all parts, newest first; `seen`: how many these were. */
export async function findSome(
  rows: Rows,
  parts: string[],
  sought: Sought,
  most: number,
): Promise<{ seen: number; ids: string[] }> {
  const [first, rest] = [parts.slice(0, mostParts - 1), parts.slice(mostParts - 1)];
  const asked = rest.length > 0 ? [...first, together(rest)] : first;
  const list = sought.limited ? texts.some.limited : texts.some.all;
  const text = list[asked.length - 1];
  if (text === undefined) return { seen: 0, ids: [] };
  const [found] = await rows<{ seen: number; ids: string[] }>(text, [...valuesOf(sought), most, ...asked]);
  return found ?? { seen: 0, ids: [] };
}

/** The newest message between two ids. */
export async function nextBefore(rows: Rows, before: string, from: string): Promise<string | undefined> {
  return (await rows<{ id: string }>(selectNext, [before, from]))[0]?.id;
}

/** Some of these messages, those that fit best first. */
export async function fitting(
  rows: Rows,
  ids: string[],
  words: string,
  page: { offset: number; limit: number },
): Promise<string[]> {
  const found = await rows<{ id: string }>(selectFitting, [ids, words, page.offset, page.limit]);
  return found.map(({ id }) => id);
}

/** What these messages are now; without those that are gone, or changed a moment ago. */
export function readFound(rows: Rows, ids: string[]): Promise<MessageRow[]> {
  return rows<MessageRow>(selectFound, [ids]);
}

/** Whether messages of these channels that were written before there was an index are not in it yet. */
export async function isBehind(rows: Rows, channelIds: string[]): Promise<boolean> {
  return (await rows<{ behind: boolean }>(selectIsBehind, [channelIds]))[0]?.behind ?? false;
}

const selectNamed = `SELECT id, username_key AS key FROM users WHERE username_key = ANY($1::text[])`;

/** The ids of users by the keys of their names. */
export async function usersNamed(rows: Rows, keys: string[]): Promise<Map<string, string>> {
  const found = await rows<{ id: string; key: string }>(selectNamed, [keys]);
  return new Map(found.map(({ id, key }) => [key, id]));
}

const selectTimeZone = 'SELECT time_zone AS "timeZone" FROM users WHERE id = $1';

/** The time zone that someone has chosen. */
export async function chosenZone(rows: Rows, userId: string): Promise<string | null> {
  return (await rows<{ timeZone: string | null }>(selectTimeZone, [userId]))[0]?.timeZone ?? null;
}

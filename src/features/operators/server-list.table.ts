import { z } from 'zod';
import type { SmallUser } from '../../contract/actor.ts';
import type { Database, Rows } from '../../database/database.ts';
import { type UserColumns, userOf } from '../accounts/account.view.ts';
import type { Rough } from './installation.table.ts';

/** Up to so many messages of a server are counted, and the files of so many of its newest are summed. */
const mostMessages = 1000;
/** Of each of its channels. */
const newest = 100;

/** $1 pattern, $2 the id before which they are, $3 how many. */
const selectServers = `WITH page AS (
    SELECT * FROM servers WHERE id < $2 AND (lower(name) LIKE $1 OR slug LIKE $1) ORDER BY id DESC LIMIT $3
  )
  SELECT s.id, s.name, s.slug, s.is_public AS "isPublic", s.member_count AS members, s.created_at AS "createdAt",
    coalesce(w.total_bytes, 0)::float8 AS "filesBytes", s.owner_id AS "ownerId",
    u.username, u.display_name, u.avatar_url, u.is_bot,
    ARRAY(SELECT id FROM channels WHERE server_id = s.id) AS channels
  FROM page s JOIN users u ON u.id = s.owner_id LEFT JOIN workspaces w ON w.server_id = s.id ORDER BY s.id DESC`;

/** $1 servers. Bounded for each of them; messages that were deleted are empty rows, and some of those that are read. */
const selectSizes = `SELECT s.id, counted.rows, counted.messages, sampled.rows AS sampled, sampled.bytes
  FROM unnest($1::uuid[]) AS s (id) CROSS JOIN LATERAL (
    SELECT count(*)::int AS rows, (count(*) FILTER (WHERE found.deleted_at IS NULL))::int AS messages FROM (
      SELECT m.deleted_at FROM channels c JOIN messages m ON m.channel_id = c.id
      WHERE c.server_id = s.id LIMIT ${mostMessages + 1}
    ) AS found
  ) AS counted CROSS JOIN LATERAL (
    SELECT count(*)::int AS rows, coalesce(sum(files.bytes), 0)::float8 AS bytes FROM (
      SELECT m.id, m.has_extras FROM channels c CROSS JOIN LATERAL (
        SELECT id, has_extras FROM messages WHERE channel_id = c.id ORDER BY seq DESC LIMIT ${newest}
      ) m WHERE c.server_id = s.id LIMIT ${mostMessages}
    ) AS found LEFT JOIN LATERAL (
      SELECT sum(size) AS bytes FROM attachments WHERE message_id = found.id
    ) AS files ON found.has_extras
  ) AS sampled`;

/** What the planner expects is known from its statistics, at no cost; nothing is read. */
const explainMessages = 'EXPLAIN (FORMAT JSON) SELECT FROM messages WHERE channel_id = ANY($1)';
const planSchema = z.tuple([
  z.looseObject({ 'QUERY PLAN': z.tuple([z.object({ Plan: z.looseObject({ 'Plan Rows': z.number() }) })]) }),
]);

interface ServerRow extends UserColumns {
  id: string;
  name: string;
  slug: string | null;
  isPublic: boolean;
  members: number;
  createdAt: Date | string;
  filesBytes: number;
  ownerId: string;
  channels: string[];
}

/** A server, as it is found. */
interface FoundServer extends Omit<ServerRow, keyof UserColumns | 'ownerId'> {
  owner: SmallUser;
}

interface SizeRow {
  id: string;
  /** Of its messages that were counted; one more than the bound: there are more. */
  rows: number;
  /** Those of them that are not deleted. */
  messages: number;
  /** How many of its newest messages were looked at, and the bytes of their files. */
  sampled: number;
  bytes: number;
}

/** How much is in a server. */
interface ServerSize {
  messages: Rough;
  attachments: { bytes: number; isAbout: boolean };
}

/** Those whose name or short name has a text, newest first. @param before id; null: from the newest on */
export async function findServers(rows: Rows, search: string, before: string, most: number): Promise<FoundServer[]> {
  const like = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const found = await rows<ServerRow>(selectServers, [like, before, most]);
  return found.map(({ ownerId, username, display_name, avatar_url, is_bot, ...server }) => ({
    ...server,
    owner: userOf(ownerId, { username, display_name, avatar_url, is_bot }),
  }));
}

/** How much is in some servers: exact for small ones, estimated for others. */
export async function sizesOf(
  database: Pick<Database, 'rows'>,
  servers: FoundServer[],
): Promise<Map<string, ServerSize>> {
  const { rows } = database;
  const found = await rows<SizeRow>(selectSizes, [servers.map(({ id }) => id)]);
  const channels = new Map(servers.map((server) => [server.id, server.channels]));
  const sizes = new Map<string, ServerSize>();
  for (const { id, rows: counted, messages, sampled, bytes } of found) {
    const isMany = counted > mostMessages;
    const all = isMany ? Math.max(counted, await expectedMessages(rows, channels.get(id) ?? [])) : counted;
    const isSampled = sampled < all;
    sizes.set(id, {
      messages: { count: isMany ? all : messages, isAbout: isMany },
      attachments: { bytes: isSampled ? Math.round((bytes * all) / Math.max(sampled, 1)) : bytes, isAbout: isSampled },
    });
  }
  return sizes;
}

async function expectedMessages(rows: Rows, channels: string[]): Promise<number> {
  const plan = await rows<Record<'QUERY PLAN', unknown>>(explainMessages, [channels]);
  const { success, data } = planSchema.safeParse(plan);
  return success ? Math.round(data[0]['QUERY PLAN'][0].Plan['Plan Rows']) : 0;
}

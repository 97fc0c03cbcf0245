import type { Rows } from '../../database/database.ts';

/** A message that is to be erased. */
interface Written {
  id: string;
  channelId: string;
  seq: number;
  threadId: string | null;
  authorId: string;
  /** Whether it may have a thread, among others. */
  hasExtras: boolean;
}

/** Those in deleted channels go with them. */
const unerased = `SELECT id FROM (
    SELECT m.id, m.channel_id, m.seq FROM messages m JOIN channels c ON c.id = m.channel_id
    WHERE m.author_id = $1 AND m.deleted_at IS NULL AND c.deleted_at IS NULL LIMIT $2
  ) AS found ORDER BY channel_id, seq`;
const written = `SELECT m.id, m.channel_id AS "channelId", m.seq, m.thread_id AS "threadId", m.author_id AS "authorId",
    m.has_extras AS "hasExtras"
  FROM messages m JOIN channels c ON c.id = m.channel_id
  WHERE m.id = ANY($1::uuid[]) AND m.deleted_at IS NULL AND c.deleted_at IS NULL ORDER BY m.channel_id, m.seq`;

/** The ids of some messages of an author that are not deleted, ordered by their channels. */
export async function unerasedOf(rows: Rows, authorId: string, most: number): Promise<string[]> {
  return (await rows<{ id: string }>(unerased, [authorId, most])).map(({ id }) => id);
}

/** Those of the messages that are not deleted. */
export function readWritten(rows: Rows, ids: string[]): Promise<Written[]> {
  return rows<Written>(written, [ids]);
}

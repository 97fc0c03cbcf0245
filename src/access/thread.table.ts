import type { Rows } from '../database/database.ts';
import type { ThreadInfo } from './thread.access.ts';

const info = `SELECT id, channel_id AS "channelId", creator_id AS "creatorId", is_archived AS "isArchived"
  FROM threads WHERE id = $1 AND deleted_at IS NULL`;

export async function readThread(rows: Rows, id: string): Promise<ThreadInfo | undefined> {
  const [thread] = await rows<ThreadInfo>(info, [id]);
  return thread;
}

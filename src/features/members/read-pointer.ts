import type { Rows } from '../../database/database.ts';

// It never goes back (contract §5).
const onward = `ON CONFLICT (channel_id, user_id) DO UPDATE SET last_read_seq = excluded.last_read_seq
  WHERE channel_reads.last_read_seq < excluded.last_read_seq`;
const moveOn = `INSERT INTO channel_reads (channel_id, user_id, last_read_seq)
  SELECT id, $2, least($3, last_seq) FROM streams WHERE id = $1 ${onward} RETURNING last_read_seq`;
const moveOnInServer = `INSERT INTO channel_reads (channel_id, user_id, last_read_seq)
  SELECT c.id, $2, s.last_seq FROM channels c JOIN streams s ON s.id = c.id
  WHERE c.server_id = $1 AND NOT c.is_private ${onward}`;

/**
 * Says that someone has read a channel.
 * @param seq up to which number of its log; null: all of it. Past the end of the log there is nothing to read
 * @returns whether that is news: it was not read so far
 */
export async function moveReadPointer(
  rows: Rows,
  channelId: string,
  userId: string,
  seq: number | null,
): Promise<boolean> {
  const moved = await rows(moveOn, [channelId, userId, seq]);
  return moved.length > 0;
}

/** For who joins a server: what was said in its open channels before that is not news. */
export async function readAllInServer(rows: Rows, serverId: string, userId: string): Promise<void> {
  await rows(moveOnInServer, [serverId, userId]);
}

import type { Rows } from '../../database/database.ts';

/** How long the log of a deleted channel stays, so that every node gets its deletion. */
const logStays = "interval '10 minutes'";
const selectDeleted = `SELECT deleted_at + ${logStays} AS "endsAt", deleted_at + ${logStays} <= now() AS "isOver"
  FROM channels WHERE id = $1 AND deleted_at IS NOT NULL`;

/** A deleted channel, and when its log may go. */
export async function findDeletedChannel(
  rows: Rows,
  channelId: string,
): Promise<{ endsAt: string; isOver: boolean } | undefined> {
  const [channel] = await rows<{ endsAt: string; isOver: boolean }>(selectDeleted, [channelId]);
  return channel;
}

/** Channels that are deleted and not removed. */
export async function deletedChannels(rows: Rows): Promise<string[]> {
  const left = await rows<{ id: string }>('SELECT id FROM channels WHERE deleted_at IS NOT NULL ORDER BY id');
  return left.map(({ id }) => id);
}

/** Removes the newest messages of a channel with their files and polls. @returns their ids */
export async function removeSomeMessages(rows: Rows, channelId: string, limit: number): Promise<string[]> {
  const some = await rows<{ id: string }>('SELECT id FROM messages WHERE channel_id = $1 ORDER BY seq DESC LIMIT $2', [
    channelId,
    limit,
  ]);
  const ids = some.map(({ id }) => id);
  if (ids.length === 0) return [];
  await rows('DELETE FROM attachments WHERE message_id = ANY($1::uuid[])', [ids]);
  await rows('DELETE FROM message_forwards WHERE message_id = ANY($1::uuid[])', [ids]);
  await rows('DELETE FROM message_versions WHERE channel_id = $1 AND message_id = ANY($2::uuid[])', [channelId, ids]);
  await rows('DELETE FROM polls WHERE message_id = ANY($1::uuid[])', [ids]);
  await rows('DELETE FROM messages WHERE channel_id = $1 AND id = ANY($2::uuid[])', [channelId, ids]);
  return ids;
}

/** Removes a channel with its log, which must be locked. */
export async function removeChannel(rows: Rows, channelId: string): Promise<void> {
  await rows('DELETE FROM messages WHERE channel_id = $1', [channelId]);
  await rows('DELETE FROM channels WHERE id = $1', [channelId]);
  await rows('DELETE FROM log_entries WHERE stream_id = $1', [channelId]);
  await rows('DELETE FROM streams WHERE id = $1', [channelId]);
}

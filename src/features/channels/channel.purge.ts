import type { Chore } from '../../cluster/chores.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import { lockStreams } from '../../delivery/log.ts';
import { insertJobs } from '../../jobs/notification.jobs.ts';

const batch = 1000;
/** How long the log of a deleted channel stays, so that every node gets its deletion. */
const told = "interval '10 minutes'";

/** Removes deleted channels in small steps: messages at once, the rest when everyone has the event. */
export const removeDeletedChannels: Chore = {
  name: 'remove deleted channels',
  async step(rows) {
    const [channel] = await rows<{ id: string; over: boolean }>(
      `SELECT id, deleted_at < now() - ${told} AS over FROM channels c WHERE deleted_at IS NOT NULL
         AND (deleted_at < now() - ${told} OR EXISTS (SELECT FROM messages m WHERE m.channel_id = c.id)) LIMIT 1`,
    );
    if (!channel) return 0;
    const removed = await removeMessages(rows, channel.id);
    if (removed > 0 || !channel.over) return removed;
    // From here on no one can write into the channel; messages in flight until now would stay behind.
    await lockStreams(rows, [channelRoom(channel.id)]);
    await rows('DELETE FROM messages WHERE channel_id = $1', [channel.id]);
    await rows('DELETE FROM channels WHERE id = $1', [channel.id]);
    await rows('DELETE FROM log_entries WHERE stream_id = $1', [channel.id]);
    await rows('DELETE FROM streams WHERE id = $1', [channel.id]);
    return 1;
  },
};

async function removeMessages(rows: Rows, channelId: string): Promise<number> {
  const some = await rows<{ id: string }>('SELECT id FROM messages WHERE channel_id = $1 ORDER BY seq DESC LIMIT $2', [
    channelId,
    batch,
  ]);
  const ids = some.map((message) => message.id);
  if (ids.length === 0) return 0;
  await rows('DELETE FROM attachments WHERE message_id = ANY($1::uuid[])', [ids]);
  await rows('DELETE FROM messages WHERE id = ANY($1::uuid[])', [ids]);
  // Notifications that quote them follow in the background, as with a message that is deleted by itself.
  await insertJobs(rows, [{ job: 'erasure', messageIds: ids }]);
  return ids.length;
}

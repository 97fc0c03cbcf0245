import { interactionCreated } from '../../contract/interaction.ts';
import { streamId, userRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';

/** Some interactions with one bot. $1 whose, or where, $2 how many at most */
const someOf = (
  column: string,
) => `SELECT i.id, a.user_id AS "botId" FROM interactions i JOIN agents a ON a.id = i.agent_id
  WHERE i.${column} = $1 AND i.agent_id = (SELECT agent_id FROM interactions WHERE ${column} = $1 LIMIT 1) LIMIT $2`;
const [ofUser, ofChannel] = [someOf('user_id'), someOf('channel_id')];
/** The event stays in its place, without what was typed, chosen and named. $1 log, $2 event, $3 interactions */
const blank = `UPDATE log_entries SET data = (data::jsonb || jsonb_build_object('values', '{}'::jsonb, 'command',
    CASE WHEN json_typeof(data -> 'command') = 'object'
      THEN (data::jsonb -> 'command') || '{"resolved": {"users": {}, "channels": {}, "files": {}}}' END))::json
  WHERE stream_id = $1 AND event = $2 AND data ->> 'id' = ANY($3::text[])`;
const remove = 'DELETE FROM interactions WHERE id = ANY($1::uuid[])';

/**
 * Deletes some interactions of someone, or in a channel, and what the bot's log says of them: at most its own events are looked
 * through, which are as many as a log keeps.
 * @returns how many
 */
export async function eraseInteractions(
  change: Change,
  of: { userId: string } | { channelId: string },
  most: number,
): Promise<number> {
  const [text, id] = 'userId' in of ? [ofUser, of.userId] : [ofChannel, of.channelId];
  const some = await change.rows<{ id: string; botId: string }>(text, [id, most]);
  const [first] = some;
  if (!first) return 0;
  const room = userRoom(first.botId);
  const ids = some.map((one) => one.id);
  await change.lock(room);
  await change.rows(blank, [streamId(room), interactionCreated.name, ids]);
  await change.rows(remove, [ids]);
  return ids.length;
}

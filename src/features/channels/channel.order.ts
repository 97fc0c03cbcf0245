import type { z } from 'zod';
import type { positionsSchema } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';

interface Placed {
  id: string;
  position: number;
}

/** How many channels a server has, and the position after the last one. */
export async function placeOf(rows: Rows, serverId: string): Promise<{ count: number; position: number }> {
  const [last] = await rows<{ count: number; position: number }>(
    'SELECT count(*)::int AS count, coalesce(max(position) + 1, 0) AS position FROM channels WHERE server_id = $1',
    [serverId],
  );
  return last ?? { count: 0, position: 0 };
}

/**
 * The channels in the requested order: those in `channelIds` come first, those in `positions` where these put them.
 * @throws AppError CHANNEL_NOT_FOUND for one that is not among them
 */
export function inOrder(current: Placed[], input: z.output<typeof positionsSchema>): Placed[] {
  const requested = input.channelIds
    ? new Map(input.channelIds.map((id, at, all) => [id, at - all.length]))
    : new Map(input.positions?.map(({ id, position }) => [id, position]));
  const known = new Set(current.map((channel) => channel.id));
  for (const id of requested.keys()) if (!known.has(id)) throw new AppError('CHANNEL_NOT_FOUND');
  const key = (channel: Placed) => requested.get(channel.id) ?? channel.position;
  return current
    .map((channel, at) => ({ channel, at }))
    .sort((a, b) => key(a.channel) - key(b.channel) || a.at - b.at)
    .map(({ channel }) => channel);
}

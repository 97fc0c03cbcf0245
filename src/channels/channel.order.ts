import type { z } from 'zod';
import type { Rows } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { positionsSchema } from './channel.contract.ts';

interface Placed {
  id: string;
  position: number;
}

/** How many channels a server has, and the position behind them. */
export async function placeOf(rows: Rows, serverId: string): Promise<{ count: number; position: number }> {
  const [last] = await rows<{ count: number; position: number }>(
    'SELECT count(*)::int AS count, coalesce(max(position) + 1, 0) AS position FROM channels WHERE server_id = $1',
    [serverId],
  );
  return last ?? { count: 0, position: 0 };
}

/** The channels as they are wished to stand: those named come first, or where their positions put them. @throws AppError CHANNEL_NOT_FOUND */
export function inOrder(current: Placed[], input: z.output<typeof positionsSchema>): Placed[] {
  const wishes = input.channelIds
    ? new Map(input.channelIds.map((id, at, all) => [id, at - all.length]))
    : new Map(input.positions?.map(({ id, position }) => [id, position]));
  const known = new Set(current.map((channel) => channel.id));
  for (const id of wishes.keys()) if (!known.has(id)) throw new AppError('CHANNEL_NOT_FOUND');
  const key = (channel: Placed) => wishes.get(channel.id) ?? channel.position;
  return current
    .map((channel, at) => ({ channel, at }))
    .sort((a, b) => key(a.channel) - key(b.channel) || a.at - b.at)
    .map(({ channel }) => channel);
}

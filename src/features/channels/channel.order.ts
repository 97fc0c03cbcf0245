import type { z } from 'zod';
import type { positionsSchema } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import type { Queries } from '../../database/database.ts';
import { Category, type Channel } from '../../database/entities/channel.entity.ts';
import type { Change } from '../../delivery/changes.ts';

interface Placed {
  id: string;
  position: number;
}

/** How many channels a server has, and the position after the last one. */
export async function placeOf(db: Queries, serverId: string): Promise<{ count: number; position: number }> {
  const { count, last } = await db
    .selectFrom('Channel')
    .where('serverId', '=', serverId)
    .select((channels) => [channels.fn.countAll<number>().as('count'), channels.fn.max('position').as('last')])
    .executeTakeFirstOrThrow();
  return { count, position: count === 0 ? 0 : last + 1 };
}

/**
 * The channels in the requested order: those in `channelIds` come first, those in `positions` where these put them.
 * @throws AppError CHANNEL_NOT_FOUND for one that is not among them
 */
export function inOrder<C extends Placed>(current: C[], input: z.output<typeof positionsSchema>): C[] {
  const requested = input.channelIds
    ? new Map(input.channelIds.map((id, at, all) => [id, at - all.length]))
    : new Map(input.positions?.map(({ id, position }) => [id, position]));
  const known = new Set(current.map((channel) => channel.id));
  for (const id of requested.keys()) if (!known.has(id)) throw new AppError('CHANNEL_NOT_FOUND');
  const key = (channel: C) => requested.get(channel.id) ?? channel.position;
  return current
    .map((channel, at) => ({ channel, at }))
    .sort((a, b) => key(a.channel) - key(b.channel) || a.at - b.at)
    .map(({ channel }) => channel);
}

/** How the log of a server names a channel in an order of them: with its category. */
export async function categoryNames(change: Change, serverId: string): Promise<(channel: Channel) => string> {
  const all = await change.em.find(Category, { serverId });
  const names = new Map(all.map(({ id, name }) => [id, name]));
  return ({ name, categoryId }) => {
    const category = categoryId ? names.get(categoryId) : undefined;
    return category === undefined ? name : `${category} / ${name}`;
  };
}

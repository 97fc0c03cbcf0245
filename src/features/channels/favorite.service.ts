import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type favoriteOrderSchema,
  type favoritesSchema,
  favoritesUpdated,
  maxFavorites,
} from '../../contract/favorite.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import { favoriteTable } from './favorite.table.ts';

type Favorites = z.output<typeof favoritesSchema>;
type Deps = Pick<Context, 'database' | 'changes' | 'channelAccess'>;

/** Channels and direct messages that people keep at the top, on all their devices (contract §5). */
export class FavoriteService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Those that the actor may read, in their order. */
  async list(actor: Actor): Promise<Favorites> {
    return { channelIds: await favoriteTable.ofUser(this.deps.database.rows, actor.userId) };
  }

  /** @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, FAVORITE_LIMIT */
  async add(actor: Actor, channelId: string): Promise<Favorites> {
    await this.deps.channelAccess.readable(actor, channelId);
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      const isNew = await favoriteTable.add(rows, channelId, actor.userId, maxFavorites);
      if (!isNew && !(await favoriteTable.has(rows, channelId, actor.userId))) throw new AppError('FAVORITE_LIMIT');
      return this.changed(change, actor, isNew);
    });
  }

  /**
   * Also of a channel that the actor may no longer read.
   * @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER for one that was no favourite and that the actor may not read
   */
  remove(actor: Actor, channelId: string): Promise<Favorites> {
    return this.deps.changes.run(async (change) => {
      const wasOne = await favoriteTable.remove(change.rows, channelId, actor.userId);
      if (!wasOne) await this.deps.channelAccess.readable(actor, channelId);
      return this.changed(change, actor, wasOne);
    });
  }

  /** Those named come first, in their order; what is no favourite is left out. */
  order(actor: Actor, { channelIds }: z.output<typeof favoriteOrderSchema>): Promise<Favorites> {
    return this.deps.changes.run(async (change) => {
      // Of two orders at once the later one is in force, whole.
      await change.lock(userRoom(actor.userId));
      const known = await favoriteTable.all(change.rows, actor.userId);
      const first = [...new Set(channelIds)].filter((id) => known.includes(id));
      const ordered = [...first, ...known.filter((id) => !first.includes(id))];
      const isOther = ordered.some((id, at) => id !== known[at]);
      if (isOther) await favoriteTable.order(change.rows, actor.userId, ordered);
      return this.changed(change, actor, isOther);
    });
  }

  /** All devices are told of another list, which has what others have changed in it before. */
  private async changed(change: Change, { userId }: Actor, isOther: boolean): Promise<Favorites> {
    if (isOther) await change.lock(userRoom(userId));
    const channelIds = await favoriteTable.ofUser(change.rows, userId);
    if (isOther) change.publish(favoritesUpdated.in(userRoom(userId), { channelIds }));
    return { channelIds };
  }
}

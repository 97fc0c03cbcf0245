import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type ChannelLevel,
  type channelLevelSchema,
  maxLevels,
  preferencesUpdated,
} from '../../contract/notification-level.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import { levelTable } from './level.table.ts';
import { notificationTable } from './notification.table.ts';

type Level = z.output<typeof channelLevelSchema>;
type Wishes = z.output<typeof preferencesUpdated.payload>;

type Deps = Pick<Context, 'database' | 'changes' | 'channelAccess'>;

/** What people are notified of in single channels (contract §7). `nothing` is the same as muting the channel. */
export class LevelService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async get(actor: Actor, channelId: string): Promise<Level> {
    await this.deps.channelAccess.readable(actor, channelId);
    return levelIn(await wishesOf(this.deps.database.rows, actor.userId), channelId);
  }

  /** Of all channels that the actor may read. */
  async list(actor: Actor): Promise<Pick<Wishes, 'channelLevels'>> {
    const { channelLevels } = await wishesOf(this.deps.database.rows, actor.userId);
    return { channelLevels };
  }

  /** Applies to everything that is said after the response. @throws AppError like `get`, LEVEL_LIMIT */
  async set(actor: Actor, channelId: string, level: ChannelLevel | null): Promise<Level> {
    await this.deps.channelAccess.readable(actor, channelId);
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      const { userId } = actor;
      if (level === null) await levelTable.forget(rows, channelId, userId);
      else if (level !== 'nothing' && !(await levelTable.set(rows, channelId, userId, level, maxLevels)))
        throw tooMany();
      await change.lock(userRoom(userId));
      const before = await notificationTable.preferences(rows, userId);
      const others = before.mutedChannelIds.filter((id) => id !== channelId);
      if (level === 'nothing' && others.length >= maxLevels) throw tooMany();
      const mutedChannelIds = level === 'nothing' ? [...others, channelId] : others;
      await notificationTable.setPreferences(rows, userId, { ...before, mutedChannelIds });
      const after = await publishPreferences(change, userId);
      // Whether anyone wants every message is one of the facts of the channel.
      change.afterCommit(() => this.deps.channelAccess.forget([channelId]));
      return levelIn(after, channelId);
    });
  }
}

/** Tells someone's devices what they are notified of; their log must be locked. @returns that */
export async function publishPreferences(change: Change, userId: string): Promise<Wishes> {
  const wishes = await wishesOf(change.rows, userId);
  change.publish(preferencesUpdated.in(userRoom(userId), wishes));
  return wishes;
}

async function wishesOf(rows: Rows, userId: string): Promise<Wishes> {
  const preferences = await notificationTable.preferences(rows, userId);
  return { ...preferences, channelLevels: await levelTable.ofUser(rows, userId, preferences.mutedChannelIds) };
}

function levelIn({ mutedChannelIds, channelLevels }: Wishes, channelId: string): Level {
  const level = mutedChannelIds.includes(channelId) ? 'nothing' : (channelLevels[channelId] ?? null);
  return { channelId, level };
}

const tooMany = () => new AppError('LEVEL_LIMIT');

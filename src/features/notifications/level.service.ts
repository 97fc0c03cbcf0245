import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type ChannelLevel,
  type channelLevelSchema,
  type listedLevelsSchema,
  maxLevels,
  type serverLevelSchema,
  type setLevelSchema,
} from '../../contract/notification-level.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { requireAhead } from '../../infrastructure/ahead.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Context } from '../context.ts';
import { levelTable, type Scope } from './level.table.ts';
import { endMuteAt, mutedLists } from './mute-end.ts';
import { notificationTable } from './notification.table.ts';
import { publishSettings, type Wishes, wishesOf } from './wishes.ts';

type Deps = Pick<Context, 'database' | 'changes' | 'jobs' | 'channelAccess' | 'serverAccess'>;

/** What people are notified of in single channels and servers (contract §7). `nothing` is the same as muting. */
export class LevelService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async get(actor: Actor, channelId: string): Promise<z.output<typeof channelLevelSchema>> {
    await this.deps.channelAccess.readable(actor, channelId);
    return { channelId, level: levelIn(await this.wishes(actor), 'channel', channelId) };
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER */
  async ofServer(actor: Actor, idOrSlug: string): Promise<z.output<typeof serverLevelSchema>> {
    const { id: serverId } = await this.deps.serverAccess.joined(actor, idOrSlug);
    return { serverId, level: levelIn(await this.wishes(actor), 'server', serverId) };
  }

  /** Of all channels that the actor may read, and all servers that they are in. */
  async list(actor: Actor): Promise<z.output<typeof listedLevelsSchema>> {
    const { channelLevels, serverLevels } = await this.wishes(actor);
    return { channelLevels, serverLevels };
  }

  /** Applies to everything that is said after the response. @throws AppError like `get`, LEVEL_LIMIT */
  async set(
    actor: Actor,
    channelId: string,
    { level, until }: z.output<typeof setLevelSchema>,
  ): Promise<z.output<typeof channelLevelSchema>> {
    await this.deps.channelAccess.readable(actor, channelId);
    return this.deps.changes.run(async (change) => {
      const choice = { scope: 'channel', id: channelId, level, until: until ?? null } as const;
      const after = await choose(change, this.deps.jobs, actor.userId, choice);
      // Whether anyone wants every message is one of the facts of the channel.
      change.afterCommit(() => this.deps.channelAccess.forget([channelId]));
      return { channelId, level: levelIn(after, 'channel', channelId) };
    });
  }

  /** The same in all channels of a server without a level of their own. @throws AppError like `ofServer`, LEVEL_LIMIT */
  async setOfServer(
    actor: Actor,
    idOrSlug: string,
    { level, until }: z.output<typeof setLevelSchema>,
  ): Promise<z.output<typeof serverLevelSchema>> {
    const { id: serverId } = await this.deps.serverAccess.joined(actor, idOrSlug);
    return this.deps.changes.run(async (change) => {
      const choice = { scope: 'server', id: serverId, level, until: until ?? null } as const;
      const after = await choose(change, this.deps.jobs, actor.userId, choice);
      const channelIds = await levelTable.channelsOf(change.rows, serverId);
      change.afterCommit(() => this.deps.channelAccess.forget(channelIds));
      return { serverId, level: levelIn(after, 'server', serverId) };
    });
  }

  private wishes(actor: Actor): Promise<Wishes> {
    return wishesOf(this.deps.database.rows, actor.userId);
  }
}

interface Choice {
  scope: Scope;
  id: string;
  level: ChannelLevel | null;
  /** When muting ends; null: it does not. */
  until: string | null;
}

/** @throws AppError LEVEL_LIMIT, VALIDATION_FAILED for an end that is over */
async function choose(change: Change, jobs: Jobs, userId: string, choice: Choice): Promise<Wishes> {
  const { rows } = change;
  const { scope, id, level, until } = choice;
  if (until !== null) requireAhead('until', until);
  const earlier = await wishesOf(rows, userId);
  await setLevel(rows, userId, choice);
  await change.lock(userRoom(userId));
  const before = await notificationTable.preferences(rows, userId);
  const others = before[mutedLists[scope]].filter((other) => other !== id);
  if (level === 'nothing' && others.length >= maxLevels) throw tooMany();
  const muted = level === 'nothing' ? [...others, id] : others;
  await notificationTable.setPreferences(rows, userId, { ...before, [mutedLists[scope]]: muted });
  await levelTable.setMuteEnd(rows, userId, id, until);
  await endMuteAt(change, jobs, { userId, scope, id }, until);
  return publishSettings(change, userId, earlier);
}

async function setLevel(rows: Rows, userId: string, { scope, id, level }: Choice): Promise<void> {
  if (level === null) await levelTable.forget(rows, scope, id, userId);
  else if (level !== 'nothing' && !(await levelTable.set(rows, scope, id, { userId, level, most: maxLevels })))
    throw tooMany();
}

function levelIn(wishes: Wishes, scope: Scope, id: string): ChannelLevel | null {
  if (wishes[mutedLists[scope]].includes(id)) return 'nothing';
  return wishes[scope === 'channel' ? 'channelLevels' : 'serverLevels'][id] ?? null;
}

const tooMany = () => new AppError('LEVEL_LIMIT');

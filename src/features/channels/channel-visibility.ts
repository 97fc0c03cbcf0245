import { z } from 'zod';
import { channelMemberAdded, channelMemberRemoved } from '../../contract/channel.ts';
import { memberJoined, memberLeft } from '../../contract/member.ts';
import { channelRoom, type Room, userRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { closePlaceNow } from '../../jobs/closed-places.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Context } from '../context.ts';
import { channelRecordOf } from '../members/channel.table.ts';
import { holdServer } from '../members/server.table.ts';
import type { ChannelMemberService } from './channel-member.service.ts';
import { type Concerned, type Seat, type Shown, visibilityTable } from './channel-visibility.table.ts';

/** So many people, and so many places of them in channels, are told in the change itself; jobs tell more than that. */
const atOnce = { people: 100, places: 1000 };
/** How many people one job tells, of one channel a step. */
const portion = 200;

const visibilityKind: JobKind<{ serverId: string; channelIds: string[]; userIds: string[] }> = {
  name: 'channel-visibility',
  schema: z.object({ serverId: idSchema, channelIds: z.array(idSchema), userIds: z.array(idSchema) }),
};

interface Deps extends Pick<Context, 'control' | 'jobs' | 'channelAccess' | 'serverAccess'> {
  channelMembers: ChannelMemberService;
}

/**
 * What follows when roles or overrides change who views channels of a server (contract §5). Whoever may no longer view one is
 * out of it on all nodes before the answer; whoever may from now on gets what joining a private channel gives.
 */
export class ChannelVisibility {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Runs a step of a change that gives or takes roles, deletes roles, or sets overrides, and does what follows for those
   * who see other channels after it. The server must be locked (`lockServer`, `lockMembers`). It drops what is cached of
   * these people, roles and channels. Of very many people access itself changes at once, too; jobs tell them.
   * @param who whose roles or overrides change; for a deleted role its holders
   * @param channelIds the channels whose overrides change; by default all that roles may matter in
   */
  async settle<T>(
    change: Change,
    serverId: string,
    who: Concerned,
    step: () => Promise<T>,
    channelIds?: string[],
  ): Promise<T> {
    const { rows } = change;
    const places = channelIds ?? (await visibilityTable.overridden(rows, serverId, who));
    const people = places.length > 0 ? await visibilityTable.people(rows, serverId, who, atOnce.people + 1) : [];
    const isMuch = people.length > atOnce.people || people.length * places.length > atOnce.places;
    if (isMuch) {
      await visibilityTable.insertPortions(rows, serverId, who, places, visibilityKind.name, portion);
      change.afterCommit(() => this.deps.jobs.wake(visibilityKind.name));
    }
    const before = isMuch ? [] : await this.seats(rows, people, places);
    const result = await step();
    if (people.length === 0) return result;
    await change.em.flush();
    this.dropFacts(change, serverId, who, places);
    if (!isMuch) await this.follow(change, serverId, before, await this.seats(rows, people, places));
    const userIds = isMuch ? null : people;
    change.afterCommit(() => this.deps.control.send({ kind: 'recheck', serverId, channelIds: places, userIds }));
    return result;
  }

  private async seats(rows: Change['rows'], people: string[], places: string[]): Promise<Seat[]> {
    return people.length === 0 ? [] : visibilityTable.seats(rows, people, places);
  }

  /** Before the sockets are checked again, in the order of the calls. */
  private dropFacts(change: Change, serverId: string, who: Concerned, channelIds: string[]): void {
    const { serverAccess, channelAccess } = this.deps;
    if ('userIds' in who) {
      const members = who.userIds.map((userId) => ({ serverId, userId }));
      change.afterCommit(() => serverAccess.forgetAll(members));
    }
    if ('roleIds' in who) change.afterCommit(() => serverAccess.forgetRoles(serverId));
    change.afterCommit(() => channelAccess.forget(channelIds));
  }

  private async follow(change: Change, serverId: string, before: Seat[], after: Seat[]): Promise<void> {
    const lost = byChannel(without(before, after));
    const gained = byChannel(without(after, before));
    const all = [...lost.values(), ...gained.values()].flat();
    if (all.length === 0) return;
    const shown = new Map((await visibilityTable.shown(change.rows, serverId, all)).map((one) => [one.id, one]));
    for (const [channelId, userIds] of lost) {
      for (const userId of userIds) {
        const user = shown.get(userId);
        const scope = 'channel' as const;
        if (user)
          change.publish(memberLeft.in(channelRoom(channelId), { serverId, channelId, scope, ...eventOf(user) }));
      }
    }
    await this.lose(change, serverId, lost);
    for (const [channelId, userIds] of gained) {
      await this.gain(change, serverId, channelId, userIds, true);
      for (const userId of userIds) {
        const user = shown.get(userId);
        const place = { serverId, channelId, scope: 'channel' } as const;
        if (user)
          change.publish(memberJoined.in(channelRoom(channelId), { ...place, ...eventOf(user), role: user.role }));
      }
    }
  }

  /** Their bots leave a channel with them, it no longer says that they were let in, and what is unread of it counts as read. */
  private async lose(change: Change, serverId: string, lost: Map<string, string[]>): Promise<void> {
    const rooms: Room[] = [];
    for (const [channelId, userIds] of lost) {
      for (const userId of userIds) {
        change.publish(channelMemberRemoved.in(userRoom(userId), { channelId, serverId }));
      }
      rooms.push(channelRoom(channelId), ...userIds.map(userRoom));
      const { isPrivate } = await channelRecordOf(change.rows, channelId);
      for (const userId of await visibilityTable.dropEntries(change.rows, channelId, userIds)) {
        change.afterCommit(() => this.deps.channelAccess.forgetMembers([channelId], userId));
      }
      for (const ownerId of await visibilityTable.ownersIn(change.rows, channelId, userIds)) {
        const channel = { id: channelId, isPrivate };
        rooms.push(...(await this.deps.channelMembers.takeOutBots(change, channel, serverId, ownerId)));
      }
    }
    await change.lock(...new Set(rooms));
    for (const [channelId, userIds] of lost) await closePlaceNow(change, { serverId: null, channelId }, userIds);
  }

  private async gain(
    change: Change,
    serverId: string,
    channelId: string,
    userIds: string[],
    isNew: boolean,
  ): Promise<void> {
    await visibilityTable.markRead(change.rows, channelId, userIds, isNew);
    const channel = await channelRecordOf(change.rows, channelId);
    for (const userId of userIds) {
      change.publish(channelMemberAdded.in(userRoom(userId), { channelId, serverId, channel }));
    }
  }

  /** Tells the people of a portion whether they are in the channel by now. Nobody knows any more whether they were before. */
  get work(): InsideWork {
    return insideWork(visibilityKind, async (change, jobs) => {
      for (const { data } of jobs) {
        const { serverId, userIds } = data;
        const [channelId, ...channelIds] = data.channelIds;
        if (!channelId || !(await holdServer(change.rows, serverId))) continue;
        if (channelIds.length > 0) await this.deps.jobs.add(change, visibilityKind, { serverId, channelIds, userIds });
        const people = await visibilityTable.undecided(change.rows, serverId, userIds, channelId);
        const ids = (isIn: boolean) => people.filter((one) => one.isIn === isIn).map(({ id }) => id);
        if (ids(true).length > 0) await this.gain(change, serverId, channelId, ids(true), false);
        if (ids(false).length > 0) await this.lose(change, serverId, new Map([[channelId, ids(false)]]));
      }
    });
  }
}

const keyOf = ({ userId, channelId }: Seat) => `${channelId}:${userId}`;

function without(seats: Seat[], others: Seat[]): Seat[] {
  const known = new Set(others.map(keyOf));
  return seats.filter((seat) => !known.has(keyOf(seat)));
}

/** The people of each channel. */
const byChannel = (seats: Seat[]): Map<string, string[]> =>
  new Map(
    [...Map.groupBy(seats, ({ channelId }) => channelId)].map(([id, of]) => [id, of.map(({ userId }) => userId)]),
  );

function eventOf({ id, username, displayName, avatarUrl }: Shown) {
  return { userId: id, username, displayName, avatarUrl, isBot: false };
}

import { createHash } from 'node:crypto';
import { channelMemberRemoved } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import { memberLeft } from '../../contract/member.ts';
import { channelRoom, userRoom } from '../../contract/rooms.ts';
import { Channel } from '../../database/entities/channel.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { closeStreams } from '../../delivery/log.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { closePlaceNow } from '../../jobs/closed-places.ts';
import type { Context } from '../context.ts';
import { shown } from '../members/roster.ts';
import { purgeAfter } from './channel.purge.ts';
import {
  dropGroup,
  type GroupPerson,
  groupsWith,
  groupsWithout,
  holdGroup,
  peopleInGroup,
  standFor,
  takeOutOfGroup,
} from './group.table.ts';

/** Those who leave a group, and those who stay. */
interface Leaving {
  channelId: string;
  leaving: GroupPerson[];
  staying: GroupPerson[];
}

/** The key of a set of people, in any order. */
export function setOf(userIds: string[]): string {
  return createHash('sha256')
    .update([...userIds].sort().join(' '))
    .digest('base64url');
}

/** Who leaves groups of people (contract §7, Groups): by themselves, or because their account or their owner goes. */
export class GroupMembers {
  private readonly deps: Pick<Context, 'channelAccess' | 'control' | 'jobs'>;

  constructor(deps: Pick<Context, 'channelAccess' | 'control' | 'jobs'>) {
    this.deps = deps;
  }

  /**
   * Takes someone out of a group with their bots, and their sockets out of its room on all nodes before the answer.
   * @throws AppError CHANNEL_NOT_FOUND when they are not in it any more
   */
  async leave(change: Change, channelId: string, userId: string): Promise<void> {
    const one = await this.takeOut(change, channelId, (person) => person.id === userId || person.ownerId === userId);
    if (!one) throw new AppError('CHANNEL_NOT_FOUND');
    await this.announce(change, [one]);
  }

  /**
   * Ends a group whose channel becomes another one: its people stay in that, its bots leave.
   * @throws AppError CHANNEL_NOT_FOUND when it is no group any more
   */
  async disband(change: Change, channelId: string): Promise<Leaving> {
    if (!(await holdGroup(change.rows, channelId))) throw new AppError('CHANNEL_NOT_FOUND');
    const all = await peopleInGroup(change.rows, channelId);
    const leaving = all.filter(({ isBot }) => isBot);
    await this.shut(change, channelId, leaving);
    await dropGroup(change.rows, channelId);
    return { channelId, leaving, staying: all.filter(({ isBot }) => !isBot) };
  }

  /** Takes someone out of some of their groups. @returns how many there were */
  async leaveSome(change: Change, userId: string, most: number): Promise<number> {
    const ids = await groupsWith(change.rows, userId, most);
    await this.leaveThese(change, ids, (person) => person.id === userId || person.ownerId === userId);
    return ids.length;
  }

  /** Takes a bot out of the groups that its owner is not in. */
  async leaveStrays(change: Change, botUserId: string, ownerId: string): Promise<void> {
    await this.leaveThese(change, await groupsWithout(change.rows, botUserId, ownerId), ({ id }) => id === botUserId);
  }

  private async leaveThese(change: Change, ids: string[], goes: (person: GroupPerson) => boolean): Promise<void> {
    const all: Leaving[] = [];
    for (const id of ids) {
      const one = await this.takeOut(change, id, goes);
      if (one) all.push(one);
    }
    await this.announce(change, all);
  }

  private async takeOut(
    change: Change,
    channelId: string,
    goes: (person: GroupPerson) => boolean,
  ): Promise<Leaving | undefined> {
    if (!(await holdGroup(change.rows, channelId))) return undefined;
    const people = await peopleInGroup(change.rows, channelId);
    const leaving = people.filter(goes);
    if (leaving.length === 0) return undefined;
    await this.shut(change, channelId, leaving);
    return { channelId, leaving, staying: people.filter((person) => !goes(person)) };
  }

  private async shut(change: Change, channelId: string, leaving: GroupPerson[]): Promise<void> {
    const ids = leaving.map(({ id }) => id);
    await takeOutOfGroup(change.rows, channelId, ids);
    for (const id of ids) change.afterCommit(() => this.deps.channelAccess.forgetMembers([channelId], id));
  }

  /** Publishes that people are no longer in a group's channel, and takes their sockets out of its room. */
  publishLeft(change: Change, { channelId, leaving }: Leaving): void {
    for (const user of leaving) {
      const left = { serverId: null, channelId, scope: 'channel', userId: user.id, ...shown(user) } as const;
      change.publish(memberLeft.in(channelRoom(channelId), left));
      this.publishRemoved(change, channelId, user.id);
    }
  }

  /** Takes someone's sockets out of the room of a channel, as who is no longer in it. */
  publishRemoved(change: Change, channelId: string, userId: string): void {
    const rooms = [channelRoom(channelId)];
    const removed = channelMemberRemoved.in(userRoom(userId), { channelId, serverId: null });
    change.publish(removed);
    change.afterCommit((numberOf) =>
      this.deps.control.send({ kind: 'evict', userId, serverId: null, rooms, seq: numberOf(removed) }),
    );
  }

  /** Locks all logs at once, those of people who open a group meanwhile among them. */
  private async announce(change: Change, all: Leaving[]): Promise<void> {
    for (const one of all) this.publishLeft(change, one);
    const people = all.flatMap(({ leaving, staying }) => [...leaving, ...staying]);
    await change.lock(...all.map(({ channelId }) => channelRoom(channelId)), ...people.map(({ id }) => userRoom(id)));
    for (const { channelId, leaving, staying } of all) {
      const gone = leaving.filter(({ isBot }) => !isBot).map(({ id }) => id);
      await closePlaceNow(change, { serverId: null, channelId }, gone);
      const ids = staying.map(({ id }) => id);
      if (ids.length > 0) await standFor(change.rows, channelId, setOf(ids));
      else await this.end(change, channelId);
    }
  }

  /** Nobody is left. */
  private async end(change: Change, channelId: string): Promise<void> {
    await change.em.nativeUpdate(Channel, { id: channelId, deletedAt: null }, { deletedAt: dateNow() });
    await closeStreams(change.rows, [channelRoom(channelId)]);
    await purgeAfter(change, this.deps.jobs, [channelId]);
    change.afterCommit(() => this.deps.channelAccess.forget([channelId]));
  }
}

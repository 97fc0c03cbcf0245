import { NIL } from 'uuid';
import { permissionsOf } from '../../access/rights.ts';
import { rightsNow } from '../../access/server.access.ts';
import { channelCreated } from '../../contract/channel.ts';
import { memberUpdated } from '../../contract/member.ts';
import { channelRoom, userRoom } from '../../contract/rooms.ts';
import { serverUpdated } from '../../contract/server.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atOnce, insertJobs, type NewsJob, type NotificationQueue, portion } from '../../jobs/notification.jobs.ts';
import {
  allMembers,
  enteredChannels,
  homepageLength,
  listenersAmong,
  openChannels,
  peopleAfter,
} from './audience.table.ts';
import { channelRecords } from './channel.table.ts';
import { channelChange } from './channel.view.ts';
import { findServer } from './server.table.ts';
import { type MemberRecord, serverChange, serverRecord } from './server.view.ts';

/** A join or leave is announced in at most this many of a server's channels. */
const announcedChannels = 200;
/** A changed home page goes to every member: one transaction writes about this many characters. */
const toldCharacters = 4 * 1024 * 1024;

/** An event for a server's people: it changed, or, for those who may see the channel, it has that channel (again). */
export interface News {
  serverId: string;
  channelId: string | null;
}

/** The audience of a server's events (contract §9). Bots get events of the channels that they are in. */
export class Audience {
  private readonly notifications: NotificationQueue;

  constructor(notifications: NotificationQueue) {
    this.notifications = notifications;
  }

  /** The channels of a server in which joins and leaves are announced. */
  announcedIn(rows: Rows, serverId: string): Promise<string[]> {
    return openChannels(rows, serverId, announcedChannels);
  }

  /** The same with the private channels that a member is in, whose people get the event too. */
  async announcedOf(rows: Rows, serverId: string, userId: string): Promise<string[]> {
    const entered = await enteredChannels(rows, serverId, userId);
    return [...(await this.announcedIn(rows, serverId)), ...entered];
  }

  /** Announces in the channels of a server that a member has other roles, or that admins decided something about a bot. */
  async publishMember(
    change: Change,
    serverId: string,
    { userId, role, roles, user, agent }: MemberRecord,
  ): Promise<void> {
    const kept = agent?.kept;
    const member = {
      serverId,
      scope: 'server',
      userId,
      role,
      roles,
      ...shownOf(user),
      ...(agent ? { kept } : {}),
    } as const;
    for (const channelId of await this.announcedOf(change.rows, serverId, userId)) {
      change.publish(memberUpdated.in(channelRoom(channelId), { ...member, channelId }));
    }
  }

  /** Tells a member what they may do in a server now, with the rest of its record. */
  async publishTo(change: Change, serverId: string, userId: string): Promise<void> {
    const row = await findServer(change.rows, serverId, userId);
    if (row) change.publish(serverUpdated.in(userRoom(userId), serverChange(serverRecord(row))));
  }

  /** Everyone who gets a server's events, ordered by id. */
  people(rows: Rows, serverId: string): Promise<string[]> {
    return peopleAfter(rows, serverId, NIL, null);
  }

  /** The same with the bots, which must get its deletion: no channel is left to announce it. */
  members(rows: Rows, serverId: string): Promise<string[]> {
    return allMembers(rows, serverId);
  }

  /**
   * Publishes an event to the people of a server, each in their own room. In servers of ordinary size that is part of
   * the change; in large ones a job publishes to the rest in portions, so that no one waits for many locks.
   * @returns those who may get it in the change
   */
  async publish(change: Change, news: News): Promise<string[]> {
    const most = await this.fitting(change.rows, news, atOnce);
    const people = await peopleAfter(change.rows, news.serverId, NIL, most);
    await this.publishNow(change, news, people);
    const last = people.at(-1);
    if (last && people.length === most) {
      await insertJobs(change.rows, [{ job: 'news', ...news, after: last }]);
      change.afterCommit(() => this.notifications.wake());
    }
    return people;
  }

  /** The people that a job publishes to, and a job for those after them. */
  async next(rows: Rows, job: NewsJob): Promise<{ people: string[]; rest: NewsJob[] }> {
    const most = await this.fitting(rows, job, portion);
    const people = await peopleAfter(rows, job.serverId, job.after, most);
    const last = people.at(-1);
    return { people, rest: last && people.length === most ? [{ ...job, after: last }] : [] };
  }

  /**
   * Publishes the current state to them. By the time a job runs, another change may be published already, and some may
   * have left or been evicted. The caller locks their logs first, so that no older state follows a newer one.
   */
  async publishNow(change: Change, { serverId, channelId }: News, people: string[]): Promise<void> {
    const listeners = await listenersAmong(change.rows, serverId, people, channelId);
    if (channelId) {
      const [channel] = await channelRecords(change.rows, [channelId]);
      if (channel)
        for (const { id } of listeners) change.publish(channelCreated.in(userRoom(id), channelChange(channel)));
      return;
    }
    const server = await findServer(change.rows, serverId, NIL);
    if (!server) return;
    const ids = listeners.map(({ id }) => id);
    const rights = await rightsNow(change.rows, serverId, ids);
    for (const { id, role } of listeners) {
      const own = rights.get(id);
      const record = { ...serverRecord({ ...server, role }), ...(own ? { permissions: permissionsOf(own) } : {}) };
      change.publish(serverUpdated.in(userRoom(id), serverChange(record)));
    }
  }

  /** How many people one change can publish to, `most` at most. */
  private async fitting(rows: Rows, { serverId, channelId }: News, most: number): Promise<number> {
    if (channelId) return most;
    const length = await homepageLength(rows, serverId);
    return length === undefined ? most : Math.min(most, Math.ceil(toldCharacters / length));
  }
}

/** The user fields in member events. */
function shownOf({ username, displayName, avatarUrl, isBot }: MemberRecord['user']) {
  return { username, displayName, avatarUrl, isBot };
}

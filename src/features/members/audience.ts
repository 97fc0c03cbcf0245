import { NIL } from 'uuid';
import { selectIsInChannel } from '../../access/channel.table.ts';
import { channelCreated } from '../../contract/channel.ts';
import { type Role, rolesThatMay } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import { serverUpdated } from '../../contract/server.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atOnce, insertJobs, type NewsJob, type NotificationQueue, portion } from '../../jobs/notification.jobs.ts';
import { channelRecords } from './channel.reader.ts';
import { channelChange } from './channel.view.ts';
import { findServer, serverChange, serverRecord } from './server.view.ts';

/** A join or leave is announced in at most this many of a server's channels. */
const announcedChannels = 200;
/** A changed home page goes to every member: one transaction writes about this many characters. */
const toldCharacters = 4 * 1024 * 1024;

const selectPeople = `SELECT m.user_id AS id FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND NOT u.is_bot AND m.user_id > $2 ORDER BY m.user_id LIMIT $3`;
const selectMembers = 'SELECT user_id AS id FROM server_members WHERE server_id = $1 ORDER BY user_id';
const selectListeners = `SELECT m.user_id AS id, m.role FROM server_members m
  WHERE m.server_id = $1 AND m.user_id = ANY($2::uuid[]) AND ($3::uuid IS NULL OR EXISTS (
    SELECT FROM channels c LEFT JOIN channel_members e ON e.channel_id = c.id AND e.user_id = m.user_id
    WHERE c.id = $3 AND (${selectIsInChannel('c.is_private', 'e.excluded')}
      OR (c.is_private AND m.role IN (${rolesThatMay('channel:see-private')})))
  )) ORDER BY m.user_id`;

const selectDeciders = `SELECT user_id AS id FROM server_members
  WHERE server_id = $1 AND role IN (${rolesThatMay('join-request:decide')}) ORDER BY user_id LIMIT 200`;

/**
 * Blocks joins and leaves of a server until the commit: each commits before, and the audience reflects it, or after,
 * and sees the change.
 */
export async function lockMembership(rows: Rows, serverId: string): Promise<void> {
  await rows('SELECT id FROM servers WHERE id = $1 FOR SHARE', [serverId]);
}

interface Listener {
  id: string;
  role: Role;
}

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
  async announcedIn(rows: Rows, serverId: string): Promise<string[]> {
    const channels = await rows<{ id: string }>(
      `SELECT id FROM channels WHERE server_id = $1 AND NOT is_private AND NOT is_archived
       ORDER BY position, created_at LIMIT $2`,
      [serverId, announcedChannels],
    );
    return channels.map((channel) => channel.id);
  }

  /** The same with the private channels that a member is in, whose people get the event too. */
  async announcedOf(rows: Rows, serverId: string, userId: string): Promise<string[]> {
    const entered = await rows<{ id: string }>(
      `SELECT c.id FROM channel_members m JOIN channels c ON c.id = m.channel_id
       WHERE m.user_id = $2 AND NOT m.excluded AND c.server_id = $1 AND c.is_private`,
      [serverId, userId],
    );
    return [...(await this.announcedIn(rows, serverId)), ...entered.map(({ id }) => id)];
  }

  /** Everyone who gets a server's events, ordered by id. */
  people(rows: Rows, serverId: string): Promise<string[]> {
    return this.some(rows, serverId, NIL, null);
  }

  /** The same with the bots, which must get its deletion: no channel is left to announce it. */
  async members(rows: Rows, serverId: string): Promise<string[]> {
    const members = await rows<{ id: string }>(selectMembers, [serverId]);
    return members.map(({ id }) => id);
  }

  /**
   * Publishes an event to the people of a server, each in their own room. In servers of ordinary size that is part of
   * the change; in large ones a job publishes to the rest in portions, so that no one waits for many locks.
   * @returns those who may get it in the change
   */
  async publish(change: Change, news: News): Promise<string[]> {
    const most = await this.fitting(change.rows, news, atOnce);
    const people = await this.some(change.rows, news.serverId, NIL, most);
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
    const people = await this.some(rows, job.serverId, job.after, most);
    const last = people.at(-1);
    return { people, rest: last && people.length === most ? [{ ...job, after: last }] : [] };
  }

  /**
   * Publishes the current state to them. By the time a job runs, another change may be published already, and some may
   * have left or been evicted. The caller locks their logs first, so that no older state follows a newer one.
   */
  async publishNow(change: Change, { serverId, channelId }: News, people: string[]): Promise<void> {
    const listeners = await change.rows<Listener>(selectListeners, [serverId, people, channelId]);
    if (channelId) {
      const [channel] = await channelRecords(change.rows, [channelId]);
      if (channel)
        for (const { id } of listeners) change.publish(channelCreated.in(userRoom(id), channelChange(channel)));
      return;
    }
    const server = await findServer(change.rows, serverId, NIL);
    if (!server) return;
    for (const { id, role } of listeners) {
      change.publish(serverUpdated.in(userRoom(id), serverChange(serverRecord({ ...server, role }))));
    }
  }

  /** How many people one change can publish to, `most` at most. */
  private async fitting(rows: Rows, { serverId, channelId }: News, most: number): Promise<number> {
    if (channelId) return most;
    const [page] = await rows<{ size: number }>(
      'SELECT greatest(length(homepage_html), 1) AS size FROM servers WHERE id = $1',
      [serverId],
    );
    return page ? Math.min(most, Math.ceil(toldCharacters / page.size)) : most;
  }

  private async some(rows: Rows, serverId: string, after: string, limit: number | null): Promise<string[]> {
    const people = await rows<{ id: string }>(selectPeople, [serverId, after, limit]);
    return people.map(({ id }) => id);
  }
}

/** Those who decide for a server: its owner and admins, 200 at most. */
export async function deciders(rows: Rows, serverId: string): Promise<string[]> {
  const people = await rows<{ id: string }>(selectDeciders, [serverId]);
  return people.map(({ id }) => id);
}

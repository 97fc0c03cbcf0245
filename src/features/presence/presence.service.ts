import { isBarred } from '../../access/barred.ts';
import { requireInChannel } from '../../access/channel.access.ts';
import { userUpdated } from '../../contract/account.ts';
import type { Actor, SmallUser } from '../../contract/actor.ts';
import type { Status } from '../../contract/presence.ts';
import { channelRoom, type Room, streamId, watchRoom } from '../../contract/rooms.ts';
import { PresenceWish } from '../../database/entities/presence-wish.entity.ts';
import type { Context } from '../context.ts';
import type { Filters } from '../filters/filters.ts';
import type { Activities } from './activities.ts';
import type { Activity } from './activity.store.ts';
import { type PresenceAudience, roomsIn } from './audience.ts';
import type { PresenceDirectory } from './directory.ts';
import type { PresenceStore } from './presence.store.ts';
import { readWishes } from './presence.table.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess' | 'serverAccess' | 'ephemeral'> {
  filters: Filters;
  store: PresenceStore;
  directory: PresenceDirectory;
  audience: PresenceAudience;
  activities: Activities;
  publishWish: (userId: string, wish: Status) => Promise<void>;
}

/** Presence and activities (contract §9). */
export class PresenceService {
  private readonly deps: Deps;

  /** @param parts.tellWish publishes a stored status choice to all nodes; never rejects */
  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Someone's current status, as known to this node. For callers who may know it. */
  statusOf(userId: string): Status {
    return this.deps.directory.statusOf(userId);
  }

  /** Whether others see someone as present, as known to this node. */
  isOnline(userId: string): boolean {
    return this.deps.directory.isOnline(userId);
  }

  /** Sets the status that the actor wants to be seen with on all devices, until changed. */
  async update(actor: Actor, status: Status): Promise<void> {
    await this.deps.changes.run(({ em }) => em.upsert(PresenceWish, { userId: actor.userId, status }));
    await this.deps.publishWish(actor.userId, status);
  }

  /**
   * Those among others whom the actor may know of, and the rooms in which it gets their changes besides those of its
   * channels and its own, by the servers that give it access.
   * @param areListed whether it followed them already, since snapshots listed them or it asked
   */
  async subscribe(
    actor: Actor,
    userIds: string[],
    areListed = false,
  ): Promise<{ known: string[]; rooms: Map<string, string[]> }> {
    const known = await this.deps.audience.knownTo(actor, userIds, areListed);
    const rooms = new Map<string, string[]>();
    for (const [userId, serverIds] of known) {
      for (const id of serverIds) rooms.set(id, [...(rooms.get(id) ?? []), watchRoom(id, userId)]);
    }
    return { known: [...known.keys()], rooms };
  }

  /** Whether the actor is in a server. */
  async isIn(actor: Actor, serverId: string): Promise<boolean> {
    return (await this.deps.serverAccess.membership(serverId, actor.userId)) !== undefined;
  }

  /** Publishes the actor's activity to the people in a channel; null: it ends. @throws AppError */
  async activity(actor: Actor, channelId: string, activity: string | null, socketId: string): Promise<void> {
    const channel = await this.deps.channelAccess.readable(actor, channelId);
    if (activity === null) return this.deps.activities.endOf(socketId, (place) => place.channelId === channelId);
    await this.deps.channelAccess.requireUnblocked(actor, channel);
    requireInChannel(channel, 'message:post');
    await this.deps.channelAccess.requireVoice(actor, channel);
    await this.deps.filters.require(actor, channel, [activity]);
    const place = { channelId, serverId: channel.serverId };
    await this.deps.activities.say(socketId, place, actor.userId, activity);
    // Access lost meanwhile, or a timeout, ended the activities before this one began.
    const { channelAccess } = this.deps;
    const checked = channelAccess.readable(actor, channelId).then((now) => channelAccess.requireVoice(actor, now));
    await checked.catch(async (error) => {
      await this.endActivities(socketId);
      throw error;
    });
  }

  /** Ends what someone who is timed out is doing in a server. */
  async silence(serverId: string, userId: string): Promise<void> {
    await this.deps.activities.endIn(serverId, userId);
  }

  /** Ends a socket's activities, in all places or in those that it has lost. */
  async endActivities(
    socketId: string,
    isLost: (place: { room: Room; serverId: string | null }) => boolean = () => true,
  ): Promise<void> {
    await this.deps.activities.endOf(socketId, ({ channelId, serverId }) =>
      isLost({ room: channelRoom(channelId), serverId }),
    );
  }

  /** The activities in these rooms' channels, and those that ended lately, for someone who was cut off. */
  async activitiesIn(rooms: Iterable<Room>): Promise<Activity[]> {
    const channels = [...rooms].filter((room) => room.startsWith('channel:'));
    return (await Promise.all(channels.map((room) => this.deps.activities.known(streamId(room))))).flat();
  }

  /** Whether the actor sees the members of a server: not a bot whose policies bar it from all channels there. */
  async seesMembers(actor: Actor, serverId: string): Promise<boolean> {
    return !(await isBarred(this.deps.database.rows, actor, serverId));
  }

  /** What people are doing in a channel. */
  activitiesOf(channelId: string): Promise<{ userId: string; activity: string }[]> {
    return this.deps.activities.of(channelId);
  }

  /** What those among some users are doing there. */
  activitiesAmong(channelId: string, userIds: string[]): Promise<{ userId: string; activity: string }[]> {
    return this.deps.activities.among(channelId, userIds);
  }

  /** A heartbeat of someone who may have no socket; it is valid for `seconds`. */
  async heartbeat(userId: string, seconds: number): Promise<void> {
    const beat = async () => {
      const wish = (await this.readWishes([userId])).get(userId) ?? 'online';
      await this.deps.store.beat({ userId, wish }, seconds * 1000);
    };
    await beat().catch(() => {});
  }

  /** Someone signs off: offline at once, unless a socket is still connected. */
  async goodbye(userId: string): Promise<void> {
    await this.deps.store.hurry(userId).catch(() => {});
  }

  /** The rooms that get someone's presence, name and picture. */
  async roomsOf(userId: string): Promise<string[]> {
    const places = (await this.deps.audience.placesOf([userId]).catch(() => null))?.get(userId);
    return places ? roomsIn(userId, places) : [];
  }

  /** Announces someone's current name and picture, in its current rooms unless others are given. */
  async introduce(user: SmallUser, rooms?: string[]): Promise<void> {
    this.deps.ephemeral.emit(rooms ?? (await this.roomsOf(user.id)), userUpdated, { user });
  }

  /** The statuses that users chose, except for plain `online`. */
  readWishes(userIds: string[]): Promise<Map<string, Status>> {
    return readWishes(this.deps.database.rows, userIds);
  }
}

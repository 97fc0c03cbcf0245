import type { ChannelAccess } from '../../access/channel.access.ts';
import { presenceSnapshot } from '../../contract/presence.ts';
import { channelRoom, circleRoom, crowdRoom, serverRoom, streamId, watchRoom } from '../../contract/rooms.ts';
import { emitTo } from '../../gateway/frames.ts';
import type { ParleySocket } from '../../gateway/socket.ts';
import { isLive, liveOf, type Place } from '../../gateway/subscription.ts';
import type { ChannelPeople, ChannelPresence } from './channel-presence.ts';
import type { LargeServers } from './large-servers.ts';
import type { OnlineCounts } from './online-counts.ts';
import type { PresenceService } from './presence.service.ts';
import { type CountBroadcaster, unshownRoom } from './sockets.gateway.ts';

/** How many of those who wrote last a socket is shown, and follows, in one server. */
const maxSpeakers = 30;

/** What a socket in a large server was shown of its people. */
interface View {
  /** Whether its friends and DM partners there were listed. */
  isBegun: boolean;
  acquaintances: string[];
  /** Those who were listed since they wrote in a channel: it follows them. */
  speakers: Set<string>;
}

/** Null: the server was small when the socket came, and it gets the changes of everyone there as long as it stays. */
type Decision = Promise<View | null>;

interface Deps {
  service: PresenceService;
  channelAccess: ChannelAccess;
  channelPresence: ChannelPresence;
  largeServers: LargeServers;
  counts: OnlineCounts;
  countBroadcaster: CountBroadcaster;
}

/** What sockets are shown of the people of the channels that they are in (contract §9). */
export class Snapshots {
  private readonly deps: Deps;
  /** Socket → server. */
  private readonly decisions = new WeakMap<ParleySocket, Map<string, Decision>>();
  /** The JSON text of a small place's snapshot, shared by sockets that join at about the same time. */
  private readonly texts = new WeakMap<ChannelPeople, string>();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Decides whether a socket that has entered a server gets the changes of everyone there, or, since it is large, only of
   * those whom it follows. That holds as long as it stays in the server.
   * @param isBegun whether it was in the server before, and knows its friends there
   */
  settle(socket: ParleySocket, serverId: string, isBegun = false): Decision {
    const own = this.decisions.get(socket) ?? new Map<string, Decision>();
    this.decisions.set(socket, own);
    const known = own.get(serverId);
    if (known) return known;
    const decision = this.decide(socket, serverId, isBegun);
    own.set(serverId, decision);
    decision.catch(() => {
      if (own.get(serverId) === decision) own.delete(serverId);
    });
    return decision;
  }

  /** A socket has lost places: what was decided for servers that it is no longer in is forgotten. */
  forgetLost(socket: ParleySocket): void {
    const own = this.decisions.get(socket);
    if (!own) return;
    const servers = new Set(liveOf(socket).map(({ serverId }) => serverId));
    for (const serverId of own.keys()) if (!servers.has(serverId)) own.delete(serverId);
  }

  /** Lets a socket into the circle of a private channel, if that is small. @returns whether it is in it */
  async enterCircle(socket: ParleySocket, channelId: string): Promise<boolean> {
    const room = circleRoom(channelId);
    if (socket.rooms.has(room)) return true;
    if ((await this.deps.channelPresence.peopleIn(channelId)) === null) return false;
    if (socket.connected && isLive(socket, channelRoom(channelId))) void socket.join(room);
    return true;
  }

  /** The rooms of those whom a socket follows since they were listed to it. */
  async listedRooms(socket: ParleySocket): Promise<Set<string>> {
    const rooms = new Set<string>();
    for (const [serverId, decision] of this.decisions.get(socket) ?? []) {
      const view = await decision.catch(() => null);
      for (const userId of view?.speakers ?? []) rooms.add(watchRoom(serverId, userId));
    }
    return rooms;
  }

  /** Sends the presence of a channel's people to a socket that has just joined it. */
  async send(socket: ParleySocket, channelId: string): Promise<void> {
    const { actor } = socket.data;
    const { serverId, isPrivate } = await this.deps.channelAccess.find(channelId);
    const view = serverId === null ? null : await this.settle(socket, serverId);
    if (actor.user.isBot && !(await this.deps.service.showsPeople(actor, channelId))) return;
    if (serverId === null || view === null || (isPrivate && (await this.enterCircle(socket, channelId)))) {
      await this.sendWhole(socket, channelId);
    } else {
      await this.sendListed(socket, { channelId, serverId }, view);
    }
  }

  private async sendWhole(socket: ParleySocket, channelId: string): Promise<void> {
    const people = await this.deps.channelPresence.of(channelId);
    const activities = await this.deps.service.activitiesOf(channelId);
    // It may have lost the channel, or left it, while the people were read.
    if (!socket.connected || !isLive(socket, channelRoom(channelId))) return;
    const text = this.texts.get(people) ?? JSON.stringify({ channelId, ...people });
    this.texts.set(people, text);
    emitTo(socket, presenceSnapshot.name, `${text.slice(0, -1)},"activities":${JSON.stringify(activities)}}`);
  }

  /** Lists the few who matter, whatever the server's size, and follows them. */
  private async sendListed(
    socket: ParleySocket,
    { channelId, serverId }: { channelId: string; serverId: string },
    view: View,
  ): Promise<void> {
    const { userId } = socket.data.actor;
    const { largeServers, counts, service } = this.deps;
    const isFirst = !view.isBegun;
    view.isBegun = true;
    const [online, speakers] = await Promise.all([
      counts.of(serverId),
      largeServers.speakersOf(channelId),
      isFirst && this.begin(view, userId, serverId),
    ]);
    const mine = speakers.filter((id) => view.speakers.has(id));
    const others = speakers.filter((id) => !view.speakers.has(id)).slice(0, maxSpeakers - view.speakers.size);
    for (const id of others) view.speakers.add(id);
    const followed = [...mine, ...others];
    const listed = new Set([...(isFirst ? [userId, ...view.acquaintances] : []), ...followed]);
    const doing = await service.activitiesAmong(channelId, [...new Set([...listed, ...view.acquaintances])]);
    if (!socket.connected || !isLive(socket, channelRoom(channelId))) return;
    // In the turn in which their statuses are read: later changes reach it.
    void socket.join(followed.map((id) => watchRoom(serverId, id)));
    if (socket.data.actor.user.isBot) void socket.leave(unshownRoom(serverId));
    const members = [...listed].map((id) => ({ userId: id, status: service.statusOf(id) }));
    const present = members.filter(({ status }) => status !== 'offline');
    const sorted = [...present, ...members.filter(({ status }) => status === 'offline')];
    const snapshot = { channelId, members: sorted, covers: 'listed', activities: doing, serverId, online };
    this.deps.countBroadcaster.shown(serverId, online);
    emitTo(socket, presenceSnapshot.name, JSON.stringify(snapshot));
  }

  private async begin(view: View, userId: string, serverId: string): Promise<void> {
    try {
      view.acquaintances = await this.deps.largeServers.acquaintancesOf(userId, serverId);
    } catch (error) {
      view.isBegun = false;
      throw error;
    }
  }

  private async decide(socket: ParleySocket, serverId: string, isBegun: boolean): Promise<View | null> {
    if (!(await this.deps.largeServers.isLarge(serverId))) return null;
    const isThere = ({ serverId: id }: Place) => id === serverId;
    // A socket that has disconnected meanwhile would stay in the room for ever.
    if (socket.connected && liveOf(socket).some(isThere)) {
      void socket.join(crowdRoom(serverId));
      if (socket.data.actor.user.isBot) void socket.join(unshownRoom(serverId));
      void socket.leave(serverRoom(serverId));
    }
    return { isBegun, acquaintances: [], speakers: new Set() };
  }

  /**
   * Decides for the servers that a socket was brought back into when it connected.
   * @param known the rooms of presence that a recovered one was in; null: it was on a node of an earlier version;
   *   undefined: it was not recovered
   * @returns whether it can be told what it missed
   */
  async resume(socket: ParleySocket, known: ReadonlySet<string> | null | undefined): Promise<boolean> {
    const servers = new Set<string>();
    for (const { room, serverId } of liveOf(socket)) {
      if (serverId === null || !(await this.deps.largeServers.isLarge(serverId))) continue;
      servers.add(serverId);
      // It knew everyone there: that version told it of all, or the server has become large since.
      if (known === null || known?.has(crowdRoom(serverId)) === false) return false;
      const channelId = streamId(room);
      const { isPrivate } = await this.deps.channelAccess.find(channelId);
      const isIn = isPrivate && (await this.enterCircle(socket, channelId));
      if (!isIn && known?.has(circleRoom(channelId))) return false;
    }
    // Up to here it was told of everyone.
    for (const serverId of servers) await this.settle(socket, serverId, known !== undefined);
    return true;
  }
}

import type { ChannelAccess } from '../../access/channel.access.ts';
import { presenceSnapshot } from '../../contract/presence.ts';
import { channelRoom, circleRoom, crowdRoom, serverRoom, streamId, watchRoom } from '../../contract/rooms.ts';
import { emitTo } from '../../gateway/frames.ts';
import { leaveWatches, type ParleySocket } from '../../gateway/socket.ts';
import { isLive, liveOf, type Place } from '../../gateway/subscription.ts';
import type { ChannelPeople, ChannelPresence } from './channel-presence.ts';
import type { CustomStatuses } from './custom-status.service.ts';
import type { LargeServers } from './large-servers.ts';
import type { OnlineCounts } from './online-counts.ts';
import type { PresenceService } from './presence.service.ts';
import { type CountBroadcaster, unshownRoom } from './sockets.gateway.ts';

/** How many of those who wrote last a socket is shown, and follows, in one server. */
const maxRecentAuthors = 30;

/** What a socket in a large server was shown of its people. */
interface View {
  /** It is a bot's that sees no members: it is shown nobody, however large the server is. */
  isBarred: boolean;
  /** Whether its friends and DM partners there were listed. */
  isBegun: boolean;
  /** These, who are followed since; null: not looked up yet. */
  acquaintances: Promise<string[]> | null;
  /** Those who were listed since they wrote in a channel: it follows them. */
  recentAuthors: Set<string>;
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
  customStatuses: CustomStatuses;
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
   * Decides whether a socket that has entered a server gets the changes of everyone there, or, since it is large or shows
   * a bot no members, only of those whom it follows. That holds as long as it stays in the server.
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
      const acquaintances = (await view?.acquaintances?.catch(() => [])) ?? [];
      for (const userId of [...acquaintances, ...(view?.recentAuthors ?? [])]) rooms.add(watchRoom(serverId, userId));
    }
    return rooms;
  }

  /** Sends the presence of a channel's people to a socket that has just joined it. */
  async send(socket: ParleySocket, channelId: string): Promise<void> {
    const { actor } = socket.data;
    const { serverId, isPrivate } = await this.deps.channelAccess.find(channelId);
    const isBarred = serverId !== null && !(await this.deps.service.seesMembers(actor, serverId));
    let view = serverId === null ? null : await this.settle(socket, serverId);
    if (serverId !== null && isBarred !== (view?.isBarred ?? false)) {
      // Its policies have changed.
      this.decisions.get(socket)?.delete(serverId);
      view = await this.settle(socket, serverId);
    }
    if (isBarred) return;
    if (serverId === null || view === null || (isPrivate && (await this.enterCircle(socket, channelId)))) {
      await this.sendWhole(socket, channelId);
    } else {
      await this.sendListed(socket, { channelId, serverId }, view);
    }
  }

  private async sendWhole(socket: ParleySocket, channelId: string): Promise<void> {
    const people = await this.deps.channelPresence.of(channelId);
    const activities = await this.deps.service.activitiesOf(channelId);
    const said = await this.deps.customStatuses.listed(people.members.map(({ userId }) => userId));
    // It may have lost the channel, or left it, while the people were read.
    if (!socket.connected || !isLive(socket, channelRoom(channelId))) return;
    const text = this.texts.get(people) ?? JSON.stringify({ channelId, ...people });
    this.texts.set(people, text);
    const more = `"activities":${JSON.stringify(activities)},"customStatuses":${JSON.stringify(said)}`;
    emitTo(socket, presenceSnapshot.name, `${text.slice(0, -1)},${more}}`);
  }

  /** Lists the few who matter, whatever the server's size, and follows them. */
  private async sendListed(
    socket: ParleySocket,
    { channelId, serverId }: { channelId: string; serverId: string },
    view: View,
  ): Promise<void> {
    const { userId } = socket.data.actor;
    const { largeServers, counts, service } = this.deps;
    const [online, recentAuthors, acquaintances] = await Promise.all([
      counts.of(serverId),
      largeServers.recentAuthorsOf(channelId),
      this.acquaintancesOf(view, userId, serverId),
    ]);
    const around = [...new Set([userId, ...acquaintances, ...recentAuthors])];
    const doing = await service.activitiesAmong(channelId, around);
    const said = await this.deps.customStatuses.among(around);
    if (!socket.connected || !isLive(socket, channelRoom(channelId))) return;
    // From here on in one turn: whoever is listed is followed, and later changes reach the socket.
    const known = view.isBegun ? [] : acquaintances;
    const mine = recentAuthors.filter((id) => view.recentAuthors.has(id));
    const others = recentAuthors
      .filter((id) => !view.recentAuthors.has(id))
      .slice(0, maxRecentAuthors - view.recentAuthors.size);
    for (const id of others) view.recentAuthors.add(id);
    const listed = new Set([...(view.isBegun ? [] : [userId]), ...known, ...mine, ...others]);
    view.isBegun = true;
    // Friends too: they may cease to be that, and a person with very many DMs does not tell all of those partners.
    void socket.join([...listed].flatMap((id) => (id === userId ? [] : [watchRoom(serverId, id)])));
    const members = [...listed].map((id) => ({ userId: id, status: service.statusOf(id) }));
    const present = members.filter(({ status }) => status !== 'offline');
    const sorted = [...present, ...members.filter(({ status }) => status === 'offline')];
    const customStatuses = Array.from(said, ([id, status]) => ({ userId: id, ...status })).filter(({ userId: id }) =>
      listed.has(id),
    );
    const snapshot = {
      channelId,
      members: sorted,
      covers: 'listed',
      activities: doing,
      customStatuses,
      serverId,
      online,
    };
    this.deps.countBroadcaster.shown(serverId, online);
    emitTo(socket, presenceSnapshot.name, JSON.stringify(snapshot));
  }

  private acquaintancesOf(view: View, userId: string, serverId: string): Promise<string[]> {
    if (view.acquaintances) return view.acquaintances;
    const reading = this.deps.largeServers.acquaintancesOf(userId, serverId);
    view.acquaintances = reading;
    reading.catch(() => {
      view.acquaintances = null;
    });
    return reading;
  }

  private async decide(socket: ParleySocket, serverId: string, isBegun: boolean): Promise<View | null> {
    const isBarred = !(await this.deps.service.seesMembers(socket.data.actor, serverId));
    const seesAll = !isBarred && !(await this.deps.largeServers.isLarge(serverId));
    const isThere = ({ serverId: id }: Place) => id === serverId;
    // A socket that has disconnected meanwhile would stay in the rooms for ever.
    if (socket.connected && liveOf(socket).some(isThere)) {
      const [its, other] = seesAll ? [serverRoom, crowdRoom] : [crowdRoom, serverRoom];
      void socket.join(its(serverId));
      void socket.leave(other(serverId));
      if (isBarred) this.hide(socket, serverId);
      else void socket.leave(unshownRoom(serverId));
    }
    return seesAll ? null : { isBarred, isBegun, acquaintances: null, recentAuthors: new Set() };
  }

  /** A bot's policies let it see no members of a server any more. */
  private hide(socket: ParleySocket, serverId: string): void {
    void socket.join(unshownRoom(serverId));
    leaveWatches(socket, serverId);
    for (const place of liveOf(socket)) {
      if (place.serverId === serverId) void socket.leave(circleRoom(streamId(place.room)));
    }
  }

  /**
   * Decides for the servers that a socket was brought back into when it connected.
   * @param known the rooms of presence that a recovered one was in; null: it was on a node of an earlier version;
   *   undefined: it was not recovered
   * @returns whether it can be told what it missed
   */
  async resume(socket: ParleySocket, known: ReadonlySet<string> | null | undefined): Promise<boolean> {
    const { isBot } = socket.data.actor.user;
    const servers = new Set<string>();
    for (const { room, serverId } of liveOf(socket)) {
      if (serverId === null) continue;
      // Of bots that is decided in small servers too: until then they are told of nobody.
      const isBarred = isBot && (await this.settle(socket, serverId, known !== undefined))?.isBarred;
      if (isBarred || !(await this.deps.largeServers.isLarge(serverId))) continue;
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

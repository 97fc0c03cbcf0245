import type { LogEntry } from '../cluster/entry.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError, asAppError } from '../contract/errors.ts';
import { channelRoom, credentialRoom, type Room, streamId, userRoom } from '../contract/rooms.ts';
import { isUuid } from '../contract/schema.ts';
import type { CatchUp, Page } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Log } from '../infrastructure/log.ts';
import type { SocketServices } from './dispatch.ts';
import { dueRoom, progressOf } from './due-rooms.ts';
import { channelsOf, noPosition, type Resume, resumeOf, roomNamed } from './handshake.ts';
import type { Membership, RoomAccess } from './membership.ts';
import { emitTo, type Outlet } from './outlet.ts';
import { isRefusal } from './refusal.ts';
import { RoomEnds } from './room-ends.ts';
import type { ParleySocket, RecoveredRoom, Recovery } from './socket.ts';
import { nowhere, type OwnRooms } from './start-positions.ts';

/** How many missed events per room are sent on a return with `auth.resume`. */
const resumeEvents = 1000;
/** How many rooms a client is restored to per connection; it joins the others by itself. */
const resumedAtOnce = 500;

interface Deps {
  membership: Membership;
  access: RoomAccess;
  ownRooms: OwnRooms;
  stillAuthentic: SocketServices['stillAuthentic'];
  delivery: Delivery;
  catchUp: CatchUp;
  outlet: Outlet;
  log: Log;
}

/** How a socket that has just connected gets into its own room, and back into those that it was in. */
export class RoomRestore {
  private readonly deps: Deps;
  private readonly ends: RoomEnds;

  constructor(deps: Deps) {
    this.deps = deps;
    this.ends = new RoomEnds(deps);
  }

  /** @throws AppError when the socket cannot be brought into all of its rooms; then it must not stay */
  async restore(socket: ParleySocket): Promise<void> {
    const { restores } = this.deps.membership;
    const resume = resumeOf(socket);
    const recovered = (socket.data.recovery?.rooms ?? []).map(({ name }) => name);
    const resumed = channelsOf(resume)
      .slice(0, resumedAtOnce)
      .map(([id]) => roomNamed(id));
    restores.expect(socket, [...recovered, ...resumed]);
    // The outcome for these is reported at the end, so a join must not replace it.
    for (const name of resumed) restores.begin(socket, name);
    try {
      await this.bringIn(socket, resume);
    } finally {
      restores.endAll(socket);
    }
  }

  private async bringIn(socket: ParleySocket, resume: Resume | undefined): Promise<void> {
    const { actor, recovery } = socket.data;
    const credential = credentialRoom(actor);
    if (credential) void socket.join(credential);
    const own = userRoom(actor.userId);
    const saved = recovery?.rooms.find((room) => room.name === own);
    const after = recovery ? saved?.after : resume?.user;
    const page = await this.deps.membership.arrivals.bringIn(socket, async () => {
      // A revocation finds the socket from here on; one just before that is noticed now.
      await this.deps.stillAuthentic(socket);
      return this.enterOwn(socket, own, after ?? socket.data.startPositions.get(own), saved);
    });
    const named = channelsOf(resume).map(([id]) => roomNamed(id));
    const recovered = (recovery?.rooms ?? []).map(({ name }) => name);
    const followed = await this.followRooms(socket, new Set([...recovered, ...named]));
    socket.data.startPositions = nowhere;
    this.emitReady(socket, own, page);
    await this.readAhead(actor, [...recovered, ...named.slice(0, resumedAtOnce)]);
    if (recovery) {
      for (const whole of [page, ...followed.values()]) requireWhole(socket, whole);
      await this.recoverRooms(socket, recovery);
    }
    if (resume) await this.resumeRooms(socket, resume, page, followed);
  }

  private async enterOwn(
    socket: ParleySocket,
    own: Room,
    after: number | undefined,
    saved: RecoveredRoom | undefined,
  ): Promise<Page> {
    const place = { room: own, serverId: null };
    if (after === undefined) return this.deps.membership.join(socket, own, place, undefined, () => {});
    const progress = progressOf(saved);
    const page = await this.deps.membership.resume(socket, own, place, after, Number.POSITIVE_INFINITY, (piece) => {
      progress(piece);
      this.noteOpened(socket, piece.entries);
    });
    this.noteOpened(socket, page.entries);
    return page;
  }

  /** Runs in the turn that announces the rooms to the socket, since it may be gone in the next. */
  private noteOpened(socket: ParleySocket, told: LogEntry[]): void {
    for (const entry of told) {
      const opened = this.deps.ownRooms.opened(entry);
      if (opened?.after === undefined) continue;
      const isKnown = socket.data.recovery?.rooms.some(({ name }) => name === opened.room);
      if (!isKnown) dueRoom(socket, opened.room, opened.after);
    }
  }

  /**
   * @param named rooms that the client resumes itself, from positions of its own
   * @returns the outcome for the others, by the ids of their channels
   */
  private async followRooms(socket: ParleySocket, named: Set<string>): Promise<Map<string, Page>> {
    const rooms = new Map(socket.data.startPositions);
    // Rooms opened meanwhile were announced to the socket, with the position from which it gets them.
    for (const { joined, after } of socket.data.due?.values() ?? []) rooms.set(joined.room, after);
    const pages = new Map<string, Page>();
    const follow = async ([room, after]: [Room, number]) => {
      const page = await this.deps.membership.follow(socket, room, after);
      if (page) pages.set(streamId(room), page);
    };
    await Promise.all([...rooms].filter(([room]) => !named.has(room)).map(follow));
    return pages;
  }

  /** Prefetches all rooms at once, so that a few queries suffice. Errors surface when each room is read. */
  private async readAhead(actor: Actor, names: string[]): Promise<void> {
    await Promise.allSettled(
      names.map(async (name) => this.deps.delivery.open((await this.placeOf(actor, name)).room)),
    );
  }

  /** From here on the client gets everything meant for it; sends it the position of its own room. */
  private emitReady(socket: ParleySocket, own: Room, page: Page): void {
    const { userId, sessionId } = socket.data.actor;
    const seq = this.deps.delivery.peek(own)?.position ?? page.seq;
    socket.data.isWhole = true;
    const offset = socket.data.takesOffsets ? this.deps.outlet.offset(this.deps.delivery.nextMark()) : null;
    emitTo(socket, 'ready', JSON.stringify({ userId, sessionId, seq }), offset);
  }

  /** Enters the rooms of a connection that Socket.IO recovered, as far as the user may still be in them. */
  private async recoverRooms(socket: ParleySocket, recovery: Recovery): Promise<void> {
    // Channels first: a client that is in both gets a thread's missed events through its channel.
    const threadsLast = [...recovery.rooms].sort((a, b) => Number(isThread(a.name)) - Number(isThread(b.name)));
    const { restores } = this.deps.membership;
    for (const room of threadsLast) {
      // It is in its own room already.
      const isIn = socket.data.joined.has(room.name);
      // The client was promised that nothing is missing: if that is wrong, the connection must end.
      if (!isIn && restores.begin(socket, room.name)) await this.recoverRoom(socket, room);
      restores.end(socket, room.name);
    }
    socket.data.recovery = null;
  }

  private async recoverRoom(socket: ParleySocket, room: RecoveredRoom): Promise<void> {
    const { name, joined, after } = room;
    // The thread may have been deleted: the event of its deletion is in its channel.
    const place = () => this.channelPlace(socket.data.actor, streamId(joined.room));
    try {
      const page = await this.resumeRoom(socket, name, after, Number.POSITIVE_INFINITY, place, progressOf(room));
      requireWhole(socket, page);
    } catch (error) {
      // If access could not be checked the connection ends as it is: it has recorded the events sent of this room.
      if (!isRefusal(error)) throw error;
      this.deps.membership.leave(socket, name);
      this.deps.log.debug({ room: name }, 'A recovered socket may no longer be in a room.');
      await this.ends.report(socket, room);
    }
  }

  /**
   * Enters the rooms that a client named with its positions (contract §10.4).
   * @param followed rooms that it did not name; it gets a report on those whose log no longer has everything it missed
   */
  private async resumeRooms(
    socket: ParleySocket,
    resume: Resume,
    own: Page,
    followed: Map<string, Page>,
  ): Promise<void> {
    const channels: Record<string, object> = {};
    const entered = new Map<string, Answer>();
    for (const [id, page] of followed) if (!page.recovered) channels[id] = answerOf(page);
    const named = channelsOf(resume);
    for (const id of Object.keys(resume)) if (isUuid(id) && resume[id] === null) channels[id] = noPosition(id);
    // Without an answer for these, a client would believe that it is in them.
    for (const [id, seq] of named.slice(resumedAtOnce)) channels[id] = { seq, recovered: true, hasMore: true };
    for (const [id, after] of named.slice(0, resumedAtOnce)) {
      const name = roomNamed(id);
      const joined = socket.data.joined.get(name);
      try {
        // Socket.IO's own recovery has already entered it.
        if (joined) entered.set(id, { seq: joined.from, recovered: true, hasMore: false });
        else entered.set(id, answerOf(await this.resumeRoom(socket, name, after, resumeEvents)));
      } catch (error) {
        this.deps.membership.leave(socket, name);
        const known = asAppError(error);
        if (known.code === 'INTERNAL_ERROR') this.deps.log.error({ err: error }, 'A socket could not re-enter a room.');
        channels[id] = known.body(undefined);
      }
      this.deps.membership.restores.end(socket, name);
    }
    for (const [id, answer] of entered) channels[id] = this.upToNow(socket, roomNamed(id), answer);
    const ownRoom = userRoom(socket.data.actor.userId);
    const user = resume.user === null ? noPosition('user') : this.upToNow(socket, ownRoom, answerOf(own));
    // The id of a disconnected socket may be that of its client's new socket, which gets its own answer.
    if (socket.connected) socket.emit('resumed', { channels, user: resume.user === undefined ? null : user });
  }

  /**
   * The final answer for a room. Since it was entered its events have arrived live, while other rooms were still being
   * read: the position must not fall behind those, and a room that was lost meanwhile is refused. Bots have positions
   * of their own.
   */
  private upToNow(socket: ParleySocket, room: Room, answer: Answer): object {
    if (!answer.hasMore && !socket.data.joined.has(room)) return new AppError('CHANNEL_NOT_FOUND').body(undefined);
    if (answer.hasMore || socket.data.actor.user.isBot) return answer;
    return { ...answer, seq: Math.max(answer.seq, this.deps.delivery.peek(room)?.position ?? 0) };
  }

  /** Brings a socket back into one room. @throws AppError if it must not stay there, or if that cannot be checked */
  private async resumeRoom(
    socket: ParleySocket,
    name: string,
    after: number,
    maxEvents: number,
    placeOf = () => this.placeOf(socket.data.actor, name),
    onPiece?: (piece: Page) => void,
  ): Promise<Page> {
    const place = await placeOf();
    const resume = () => this.deps.membership.resume(socket, name, place, after, maxEvents, onPiece);
    return this.deps.membership.arrivals.admit(socket, place, placeOf, resume);
  }

  /** The log and the server of a room, if the actor may be in it. @throws AppError */
  private async placeOf(actor: Actor, name: string): Promise<Place> {
    const id = name.slice(name.indexOf(':') + 1);
    if (name.startsWith('thread:')) {
      const { channelId, serverId } = await this.deps.access.thread(actor, id);
      return { room: channelRoom(channelId), serverId };
    }
    return this.channelPlace(actor, id);
  }

  private async channelPlace(actor: Actor, id: string): Promise<Place> {
    const { serverId } = await this.deps.access.channel(actor, id);
    return { room: channelRoom(id), serverId };
  }
}

type Place = { room: Room; serverId: string | null };

type Answer = Pick<Page, 'seq' | 'recovered' | 'hasMore'>;

function answerOf(page: Page): Answer {
  return { seq: page.seq, recovered: page.recovered, hasMore: page.hasMore };
}

/** @throws Error after which the connection ends, and its client starts afresh */
function requireWhole(socket: ParleySocket, page: Page): void {
  if (page.recovered) return;
  socket.data.unrecoverable = true;
  throw new Error('Events that a recovered connection missed have left the log meanwhile.');
}

const isThread = (name: string): boolean => name.startsWith('thread:');

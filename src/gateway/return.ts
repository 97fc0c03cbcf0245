import type { LogEntry } from '../cluster/entry.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError, asAppError } from '../contract/errors.ts';
import { channelRoom, credentialRooms, type Room, streamId, userRoom } from '../contract/rooms.ts';
import { isUuid } from '../contract/schema.ts';
import type { CatchUp, Page } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { LiveStream } from '../delivery/live-stream.ts';
import type { Log } from '../infrastructure/log.ts';
import type { SocketServices } from './dispatch.ts';
import { emitTo, gather } from './frames.ts';
import { channelsOf, noPosition, type Resume, resumeOf, roomNamed } from './handshake.ts';
import type { Outlet } from './outlet.ts';
import { isRefusal } from './refusal.ts';
import type { ParleySocket } from './socket.ts';
import { claim, isLive, type Place, Subscription, subscriptionOf } from './subscription.ts';
import type { RoomAccess, Subscriptions } from './subscriptions.ts';

/** The rooms that sockets enter without joining. */
export interface OwnRooms {
  /** On connect. */
  roomsOnConnect(actor: Actor): Promise<Room[]>;
  /** The room that an event of the user's own room opens, if any, and from which position; undefined: from now on. */
  opened(entry: LogEntry): { room: Room; after: number | undefined } | undefined;
}

/**
 * The positions of a socket's own rooms before its client learns that it is connected. The client then reads its lists,
 * so what happens from that moment on must be sent to it, even while the socket is still entering these rooms. The
 * position of its own may lie a little behind the log: then what is missing is sent too. It enters the others without
 * another query: they have emitted what was committed before `since`, as `performance.now()` has it, when it came.
 */
export async function startPositionsOf(
  actor: Actor,
  { ownRooms, delivery }: Pick<ReturnDeps, 'ownRooms' | 'delivery'>,
  since = performance.now(),
): Promise<Map<Room, number>> {
  const positions = new Map<Room, number>();
  const note = (room: Room, stream: LiveStream | undefined) => stream && positions.set(room, stream.position);
  const own = userRoom(actor.userId);
  // The position of its own room first: that room announces rooms that are opened after the query for the others.
  note(own, await delivery.open(own));
  const noteOther = async (room: Room) => note(room, await delivery.openFresh(room, since));
  await Promise.all((await ownRooms.roomsOnConnect(actor)).map(noteOther));
  return positions;
}

/** How many missed events per room are sent on a return with `auth.resume`. */
const resumeEvents = 1000;
/** How many rooms a client is restored to per connection; it joins the others by itself. */
const resumedAtOnce = 500;

export interface ReturnDeps {
  subscriptions: Subscriptions;
  access: RoomAccess;
  ownRooms: OwnRooms;
  stillAuthentic: SocketServices['stillAuthentic'];
  delivery: Delivery;
  catchUp: CatchUp;
  outlet: Outlet;
  log: Log;
}

type Answer = Pick<Page, 'seq' | 'recovered' | 'hasMore'>;

/** How a socket that has just connected gets into its own rooms, and back into those that it was in. */
export class Return {
  private readonly deps: ReturnDeps;
  private readonly socket: ParleySocket;
  private readonly own: Room;
  /** When the client came: what was committed before is looked for once, and not again for each room. */
  private readonly since: number | undefined;
  private readonly resume: Resume | undefined;
  /** The channels that the client named, with its positions. */
  private readonly named: [id: string, after: number][];
  private readonly namedRooms: Set<Room>;
  /** The rooms of the connection that Socket.IO recovered; null: it did not. */
  private readonly recovered: Set<Subscription> | null;
  /** What was reached in the own rooms, by the ids of their logs. */
  private readonly pages = new Map<string, Page>();

  /** To be called in the turn in which the socket connects: its first event may arrive in the next. */
  constructor(deps: ReturnDeps, socket: ParleySocket) {
    const { data } = socket;
    const { recovery = null, positions = [], since } = data.start ?? {};
    data.start = null;
    this.deps = deps;
    this.socket = socket;
    this.since = since;
    this.own = userRoom(data.actor.userId);
    this.resume = resumeOf(socket);
    this.named = channelsOf(this.resume);
    this.namedRooms = new Set(this.named.map(([id]) => roomNamed(id)));
    for (const { name, after, ...place } of recovery?.rooms ?? []) Subscription.open(socket, name, place, after, true);
    this.recovered = recovery && new Set(data.subscriptions.values());
    for (const [room, position] of new Map([[this.own, 0], ...positions])) {
      const after = room === this.own && !recovery ? (this.resume?.user ?? position) : position;
      this.expect(room, after);
    }
    for (const [id, after] of this.named.slice(0, resumedAtOnce)) {
      const room = roomNamed(id);
      const known = subscriptionOf(socket, room);
      const named = known ?? Subscription.open(socket, room, { room, serverId: null }, after, false);
      named.isNamed = true;
    }
  }

  /** @throws AppError when the socket cannot be brought into all of its rooms; then it must not stay */
  async complete(): Promise<void> {
    const { deps, socket } = this;
    void socket.join(credentialRooms(socket.data.actor));
    await deps.subscriptions.whileNew(socket, async () => {
      // A revocation finds the socket from here on; one just before that is noticed now.
      await deps.stillAuthentic(socket);
      // That announces rooms in the turn in which it is sent, and the socket may be gone in the next.
      await this.enter(this.own, (told) => this.noteOpened(told));
    });
    await Promise.all([...socket.data.subscriptions.values()].map((one) => this.isOwn(one) && this.enter(one.room)));
    this.emitReady();
    await this.readAhead();
    if (this.recovered) await this.recoverRooms(this.recovered);
    if (this.resume) await this.resumeRooms(this.resume);
  }

  /** Notes that the client was promised everything in one of its own rooms from `after` on, unless it has named that room. */
  private expect(room: Room, after: number): void {
    const known = subscriptionOf(this.socket, room);
    if (known && this.isOwn(known)) known.position = Math.min(known.position, after);
    else if (!known && !this.namedRooms.has(room))
      Subscription.open(this.socket, room, { room, serverId: null }, after, true);
  }

  /** Whether it is one of the rooms that are entered without joining, and still to be entered. */
  private isOwn(one: Subscription): boolean {
    return one.phase !== 'live' && one.isOwed && !one.isNamed && !this.recovered?.has(one);
  }

  private noteOpened(told: LogEntry[]): void {
    for (const entry of told) {
      const opened = this.deps.ownRooms.opened(entry);
      if (opened?.after !== undefined) this.expect(opened.room, opened.after);
    }
  }

  /** Enters an own room, unless the client has joined it by itself meanwhile. */
  private async enter(room: Room, sent: (entries: LogEntry[]) => void = () => {}): Promise<void> {
    const due = await this.take(room);
    // A client may join its rooms with its positions at once, and is then given what it missed by the answer: nothing
    // begins there before its own room has been looked at again.
    const since = room === this.own ? undefined : this.since;
    if (due) this.pages.set(streamId(room), await this.deps.subscriptions.bring(due, null, { sent, since }));
  }

  /** Takes on bringing the socket into a room. @returns undefined: it is in it, or its client has tried to join by itself */
  private async take(name: string): Promise<Subscription | undefined> {
    const due = await claim(this.socket, name, any, () => undefined);
    return due?.phase === 'live' ? undefined : due;
  }

  /** From here on the client gets everything meant for it; sends it the position of its own room. */
  private emitReady(): void {
    const { deps, socket, own } = this;
    const { userId, sessionId } = socket.data.actor;
    deps.outlet.bringUpToDate(socket);
    const seq = deps.delivery.peek(own)?.position ?? this.pages.get(userId)?.seq;
    socket.data.isWhole = true;
    const offset = socket.data.takesOffsets ? deps.outlet.offset(deps.delivery.nextMark()) : null;
    emitTo(socket, 'ready', JSON.stringify({ userId, sessionId, seq }), offset);
  }

  /** Prefetches all rooms at once, so that a few queries suffice. Errors surface when each room is read. */
  private async readAhead(): Promise<void> {
    const waiting = [...this.socket.data.subscriptions.values()].filter(({ phase }) => phase === 'entering');
    const read = async ({ name }: Subscription) =>
      this.deps.delivery.openFresh((await this.placeOf(name)).room, this.since);
    await Promise.allSettled(waiting.map(read));
  }

  /** Enters the rooms of a connection that Socket.IO recovered, as far as the user may still be in them. */
  private async recoverRooms(recovered: Set<Subscription>): Promise<void> {
    for (const page of this.pages.values()) this.requireWhole(page);
    gather(this.socket);
    // Channels first: a client that is in both gets a thread's missed events through its channel.
    const threadsLast = [...recovered].sort((a, b) => Number(isThread(a)) - Number(isThread(b)));
    for (const { name } of threadsLast) {
      const due = await this.take(name);
      if (due) await this.recoverRoom(due);
    }
  }

  private async recoverRoom(due: Subscription): Promise<void> {
    const { deps, socket } = this;
    // The thread may have been deleted: the event of its deletion is in its channel.
    const place = () => this.channelPlace(streamId(due.room));
    try {
      this.requireWhole(await deps.subscriptions.bring(due, place, { since: this.since }));
    } catch (error) {
      if (!socket.connected) return;
      // If access could not be checked the connection ends as it is: it has recorded the events sent of this room.
      if (!isRefusal(error)) throw error;
      deps.log.debug({ room: due.name }, 'A recovered socket may no longer be in a room.');
      if (subscriptionOf(socket, due.name) === due) await this.reportEnd(due);
      deps.subscriptions.end(socket, due.name);
    }
  }

  /** Sends clients that return to a deleted channel the event of its deletion, which is kept; its messages are gone. */
  private async reportEnd({ room, position }: Subscription): Promise<void> {
    const { deps, socket } = this;
    const head = (await deps.delivery.openFresh(room))?.position ?? 0;
    if (head <= position) return;
    const page = await deps.catchUp.read(room, head - 1, { events: 1, bytes: 1 });
    const [entry] = page?.entries ?? [];
    if (!entry || !deps.access.isEnd(entry)) return;
    deps.outlet.emitTo(socket, [{ entry, mark: deps.delivery.nextMark() }]);
    // Once for all rooms of that log. If the client is cut off now it counts as sent; the outlet's note corrects that.
    for (const other of socket.data.subscriptions.values())
      if (other.room === room && other.phase !== 'live') other.position = entry.seq;
  }

  /** @throws Error after which the connection ends, and its client starts afresh: it was promised that nothing is missing */
  private requireWhole(page: Page): void {
    if (page.recovered) return;
    this.socket.data.unrecoverable = true;
    throw new Error('Events that a recovered connection missed have left the log meanwhile.');
  }

  /** Enters the rooms that a client named with its positions, and reports what it has to reread (contract §10.4). */
  private async resumeRooms(resume: Resume): Promise<void> {
    const { socket, own, named } = this;
    const channels: Record<string, object> = {};
    const entered = new Map<string, Answer>();
    gather(socket);
    // Rooms that it did not name, and whose log no longer has everything it missed.
    for (const [id, page] of this.pages) if (!page.recovered && id !== streamId(own)) channels[id] = answerOf(page);
    for (const id of Object.keys(resume)) if (isUuid(id) && resume[id] === null) channels[id] = noPosition(id);
    // Without an answer for these, a client would believe that it is in them.
    for (const [id, seq] of named.slice(resumedAtOnce)) channels[id] = { seq, recovered: true, hasMore: true };
    for (const [id, after] of named.slice(0, resumedAtOnce)) {
      if (!socket.connected) return;
      try {
        entered.set(id, await this.resumeRoom(roomNamed(id), after));
      } catch (error) {
        this.deps.subscriptions.end(socket, roomNamed(id));
        const known = asAppError(error);
        if (known.code === 'INTERNAL_ERROR') this.deps.log.error({ err: error }, 'A socket could not re-enter a room.');
        channels[id] = known.body(undefined);
      }
    }
    this.deps.outlet.bringUpToDate(socket);
    for (const [id, answer] of entered) channels[id] = this.upToNow(roomNamed(id), answer);
    const page = this.pages.get(streamId(own));
    const user = resume.user === null ? noPosition('user') : page && this.upToNow(own, answerOf(page));
    // The id of a disconnected socket may be that of its client's new socket, which gets its own answer.
    if (socket.connected) socket.emit('resumed', { channels, user: resume.user === undefined ? null : user });
  }

  private async resumeRoom(room: Room, after: number): Promise<Answer> {
    const { socket } = this;
    const open = () => Subscription.open(socket, room, { room, serverId: null }, after, false);
    const due = await claim(socket, room, any, open);
    // Socket.IO's own recovery, or its client, has already entered it.
    if (due.phase === 'live') return { seq: due.position, recovered: true, hasMore: false };
    const options = { maxEvents: resumeEvents, since: this.since };
    return answerOf(await this.deps.subscriptions.bring(due, () => this.placeOf(room), options));
  }

  /**
   * The final answer for a room. Since it was entered its events have arrived live, while other rooms were still being
   * read: the position must not fall behind those, and a room that was lost meanwhile is refused. Bots have positions
   * of their own.
   */
  private upToNow(room: Room, answer: Answer): object {
    if (!answer.hasMore && !isLive(this.socket, room)) return new AppError('CHANNEL_NOT_FOUND').body(undefined);
    if (answer.hasMore || this.socket.data.actor.user.isBot) return answer;
    return { ...answer, seq: Math.max(answer.seq, this.deps.delivery.peek(room)?.position ?? 0) };
  }

  /** The log and the server of a room, if the actor may be in it. @throws AppError */
  private async placeOf(name: string): Promise<Place> {
    const id = name.slice(name.indexOf(':') + 1);
    if (!isThread({ name })) return this.channelPlace(id);
    const { channelId, serverId } = await this.deps.access.thread(this.socket.data.actor, id);
    return { room: channelRoom(channelId), serverId };
  }

  private async channelPlace(id: string): Promise<Place> {
    const { serverId } = await this.deps.access.channel(this.socket.data.actor, id);
    return { room: channelRoom(id), serverId };
  }
}

const any = () => true;

function answerOf({ seq, recovered, hasMore }: Page): Answer {
  return { seq, recovered, hasMore };
}

const isThread = ({ name }: { name: string }): boolean => name.startsWith('thread:');

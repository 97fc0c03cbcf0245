import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { circleIn, crowdIn, watchedIn } from '../contract/rooms.ts';
import type { CatchUp } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { atMost } from '../infrastructure/cache.ts';
import type { Log } from '../infrastructure/log.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';
import { GatheredCommands } from '../infrastructure/redis-gathered.ts';
import { retryWhileUnavailable, returningMs } from './refusal.ts';
import type { ParleySocket, Recovery, Replayed, SocketData } from './socket.ts';
import { closeAll, type Place, type Subscription } from './subscription.ts';

/** The saved state of a lost connection, so that it can continue elsewhere. */
interface Saved {
  sid: string;
  userId: string;
  nodeId: string;
  /** The offset that the client brought when it connected; null: none. */
  cameWith: string | null;
  /** The node's last delivery before the connection, and its last during it. */
  firstMark: number;
  lastMark: number;
  /** That of the last ack of a join with events which may not have arrived; not saved by nodes of earlier versions. */
  joinMark?: number;
  rooms: SavedRoom[];
  replayed: Replayed[];
  /** Users whose presence it follows. */
  watched: string[];
  /** Its rooms of large servers' presence; not saved by nodes of earlier versions. */
  crowds?: string[];
}

/** A subscription, as every version of a node saves it: they take over each other's clients. */
interface SavedRoom {
  name: string;
  /** `from`: the client got everything up to here in another way; live events began after it. */
  joined: Place & { from: number };
  /** The last event that the room had emitted when the connection was lost. */
  position: number;
  /** Delivery numbers of the last events up to `position`; null: not enough of them are remembered. */
  marks: number[] | null;
}

const maxSavedHere = 20_000;
const handOverMs = 1000;

/**
 * Socket.IO's connection state recovery across any number of nodes, based on the log instead of stored packets.
 *
 * A client returns with one offset, the number of the last delivery it got from its node. The delivery numbers that
 * each room remembers map it to a position in each room's log; later events are sent from the log, in the same way as
 * for clients that name their positions themselves. Rooms are entered only after authentication (see Gateway), so the
 * session that is returned to Socket.IO here has none.
 */
export class SessionRecovery {
  private readonly delivery: Delivery;
  private readonly catchUp: CatchUp;
  private readonly redis: RedisConnections | null;
  private readonly commands: GatheredCommands | null;
  private readonly nodeId: string;
  private readonly limits: { recoverySeconds: number; recoveryEvents: number };
  private readonly log: Log;
  private readonly here: LRUCache<string, Saved>;
  private readonly live = new Map<string, ParleySocket>();
  /** Ids of sockets that are being restored and not connected yet. */
  private readonly promised: LRUCache<string, true>;
  private readonly saving = new Set<Promise<unknown>>();

  constructor(
    delivery: Delivery,
    catchUp: CatchUp,
    redis: RedisConnections | null,
    nodeId: string,
    limits: { recoverySeconds: number; recoveryEvents: number },
    log: Log,
  ) {
    this.delivery = delivery;
    this.catchUp = catchUp;
    this.redis = redis;
    this.commands = redis && new GatheredCommands(redis.commands);
    this.nodeId = nodeId;
    this.limits = limits;
    this.log = log;
    const bounds = { ...atMost(maxSavedHere), ttl: limits.recoverySeconds * 1000 };
    this.here = new LRUCache(bounds);
    this.promised = new LRUCache(bounds);
  }

  /**
   * Registers a connected socket, so that it can be taken over if its client returns before the disconnect is seen. At its
   * end its subscriptions are closed: by then Socket.IO has had it saved.
   * @returns false: it must not stay, since another one was restored from the same session meanwhile, say because the
   *   client gave up on one that was still being restored. Only the other one records what is sent from then on; a
   *   client that is still on this one takes it over when it returns.
   */
  follow(pid: string, socket: ParleySocket): boolean {
    if (this.live.has(pid)) return false;
    this.live.set(pid, socket);
    // A new session has nothing saved; most connections are new, and this is a round trip to Redis.
    if (socket.recovered) this.forget(pid);
    socket.on('disconnect', () => {
      this.live.delete(pid);
      closeAll(socket);
    });
    socket.conn.on('packetCreate', ({ type }) => {
      if (type === 'ping') socket.data.pingMark = this.delivery.sentMark;
    });
    socket.conn.on('heartbeat', () => this.heard(socket.data));
    return true;
  }

  /**
   * Called by Socket.IO when a connection is lost in a way that can be recovered from.
   * @param allRooms including those that have no log
   */
  save(pid: string, sid: string, data: SocketData, allRooms: string[]): void {
    // The events that a never-ready connection missed are unknown: its client starts afresh.
    if (!data.isWhole || data.unrecoverable || !data.takesOffsets) return;
    const ends = data.replayed.filter(({ isEnd, room }) => isEnd && data.subscriptions.get(room)?.phase !== 'live');
    const isOver = (sub: Subscription) => sub.phase !== 'live' && ends.some(({ room }) => room === sub.room);
    const rooms = [...data.subscriptions.values()].flatMap((sub) => (isOver(sub) ? [] : this.saved(sub)));
    for (const { room, seq } of ends) rooms.push(savedAt(room, { room, serverId: null }, seq));
    const { userId } = data.actor;
    const { cameWith, firstMark, replayed, joinMark, sureMark } = data;
    const lastMark = this.delivery.currentMark;
    const watched = [...new Set([...data.watched, ...allRooms.flatMap((room) => watchedIn(room) ?? [])])];
    const marks = { cameWith, firstMark, lastMark };
    const saved: Saved = { sid, userId, nodeId: this.nodeId, ...marks, rooms, replayed, watched };
    if (joinMark > sureMark) saved.joinMark = joinMark;
    const isOfCrowd = (room: string) => (crowdIn(room) ?? circleIn(room)) !== undefined;
    if (data.crowds) saved.crowds = [...new Set([...data.crowds, ...allRooms.filter(isOfCrowd)])];
    this.here.set(pid, saved);
    if (!this.redis?.healthy || !this.commands) return;
    const promise = this.commands
      .run('set', key(this.redis, pid), JSON.stringify(saved), 'EX', this.limits.recoverySeconds)
      .catch(() => this.log.debug('A session could not be saved for recovery.'))
      .finally(() => this.saving.delete(promise));
    this.saving.add(promise);
  }

  /**
   * Called by Socket.IO for a returning client.
   * @param isThere whether a socket has this id now
   * @returns null: it starts afresh
   */
  async restore(
    pid: string,
    offset: string,
    isThere: (sid: string) => boolean,
  ): Promise<{ sid: string; recovery: Recovery } | null> {
    const since = performance.now();
    const saved = await this.find(pid, offset);
    const mark = saved ? markAt(saved, offset) : null;
    if (!saved || mark === null) return null;
    // Nobody knows whether its client got the events in the ack of its join: it joins again, with the position that it has.
    if (saved.joinMark !== undefined && saved.joinMark > mark) return null;
    const rooms: Recovery['rooms'] = [];
    for (const room of saved.rooms) {
      const after = positionAt(saved, room, mark);
      if (after === null) return null;
      const { name, joined } = room;
      rooms.push({ name, room: joined.room, serverId: joined.serverId, after });
    }
    const count = () => Promise.all(rooms.map(({ room, after }) => this.catchUp.missed(room, after, since)));
    const missed = await retryWhileUnavailable(count, returningMs);
    if (missed.reduce<number>((sum, count = 0) => sum + count, 0) > this.limits.recoveryEvents) return null;
    // A room deleted meanwhile is lost like any other that the user may no longer see.
    const hasLog = (_room: unknown, at: number) => missed[at] !== undefined;
    const { userId, watched, crowds = null } = saved;
    const recovery = { userId, rooms: rooms.filter(hasLog), watched, crowds, since };
    return { sid: this.idFor(saved, isThere), recovery };
  }

  /**
   * The id that the socket had, unless another one has it or is about to get it: one that the client gave up and that ends
   * later. Sockets are found and put into rooms by their ids, so this one then gets a new one.
   */
  private idFor({ sid }: Saved, isThere: (sid: string) => boolean): string {
    if (this.promised.has(sid) || isThere(sid)) return newSocketId();
    this.promised.set(sid, true);
    return sid;
  }

  /** A socket that was being restored is connected, or was refused; then its client gets the id on the next attempt. */
  release({ id }: ParleySocket): void {
    this.promised.delete(id);
  }

  /** Closes a socket whose client is back on another node (or on a new connection here). */
  async handOver(pid: string): Promise<void> {
    const socket = this.live.get(pid);
    if (!socket) return;
    socket.conn.close(true);
    await this.flush();
  }

  /** Forgets a saved session that must not be used (again). */
  forget(pid: string): void {
    this.here.delete(pid);
    if (this.redis?.healthy) this.commands?.run('del', key(this.redis, pid)).catch(() => {});
  }

  /** Waits until everything saved so far has reached Redis. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.saving]);
  }

  /**
   * The saved state of the connection that the client was cut off from. This node's copy may be older than the client's
   * stay on another node, and the copy in Redis older than an outage of Redis.
   */
  private async find(pid: string, offset: string): Promise<Saved | undefined> {
    if (!/^[\w-]{20}$/.test(pid)) return undefined;
    const isMeant = (saved: Saved | undefined) => saved !== undefined && markAt(saved, offset) !== null;
    await this.handOver(pid);
    const newest = await this.load(pid);
    if (isMeant(newest)) return newest;
    // Its node may not have noticed yet that the connection is gone.
    if (this.redis?.healthy) await this.delivery.bus.control({ kind: 'hand-over', pid }, handOverMs);
    return [await this.load(pid), this.here.get(pid)].find(isMeant);
  }

  private async load(pid: string): Promise<Saved | undefined> {
    if (!this.redis?.healthy) return undefined;
    const text = await this.commands?.run('get', key(this.redis, pid)).catch(() => null);
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  }

  /** Nothing if the socket was not in the room, and owed nothing of it: its client joins again by itself. */
  private saved(sub: Subscription): SavedRoom[] {
    const { name, phase, position, feed, socket } = sub;
    // A bot's deliveries have marks among the replayed ones; the room's marks do not apply to it.
    if (feed) return [savedAt(name, sub, position, feed.from)];
    if (phase !== 'live') return sub.isOwed ? [savedAt(name, sub, position)] : [];
    const stream = this.delivery.peek(sub.room);
    const saved = savedAt(name, sub, position);
    if (!stream) return [saved];
    return [{ ...saved, position: stream.position, marks: stream.marksSince(socket.data.sureMark) ?? null }];
  }

  /** A ping was answered (maybe twice, if a proxy repeats requests): everything sent before it has arrived. */
  private heard(data: SocketData): void {
    data.sureMark = data.pingMark;
    if (data.replayed.length === 0) return;
    data.replayed = data.replayed.filter((replay) => replay.mark > data.sureMark);
  }
}

function savedAt(name: string, { room, serverId }: Place, position: number, from = position): SavedRoom {
  return { name, joined: { room, serverId, from }, position, marks: [] };
}

/** As Socket.IO makes them. */
const newSocketId = (): string => randomBytes(15).toString('base64url');

const key = (redis: RedisConnections, pid: string) => redis.named(`recovery:${pid}`);

/** The mark of a client that got nothing from the connection. */
const nothingYet = -1;

/**
 * The number of a client's last delivery from a saved connection, by the offset that it brings. If that is the offset
 * it connected with, nothing from this connection has arrived. Any other offset from another node, or from before,
 * belongs to another connection, which this node knows nothing about: null.
 */
function markAt(saved: Saved, offset: string): number | null {
  if (offset === saved.cameWith) return nothingYet;
  const dot = offset.lastIndexOf('.');
  const mark = Number(offset.slice(dot + 1));
  const isFromIt = offset.slice(0, dot) === saved.nodeId && mark > saved.firstMark && mark <= saved.lastMark;
  return isFromIt && Number.isSafeInteger(mark) ? mark : null;
}

/** The position in a room's log of a client with this last delivery; null: unknown. */
function positionAt(saved: Saved, room: SavedRoom, mark: number): number | null {
  let after = room.joined.from;
  if (mark !== nothingYet) {
    if (room.marks === null) return null;
    const undelivered = room.marks.filter((given) => given > mark).length;
    after = Math.max(after, room.position - undelivered);
  }
  for (const replay of saved.replayed) {
    if (replay.room === room.joined.room && replay.mark > mark) after = Math.min(after, replay.seq - 1);
  }
  return after;
}

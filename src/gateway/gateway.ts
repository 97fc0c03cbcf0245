import type { Server as HttpServer } from 'node:http';
import { RedisAdapter } from '@socket.io/redis-adapter';
import { Server } from 'socket.io';
import { Adapter } from 'socket.io-adapter';
import type { Actor } from '../contract/actor.ts';
import { AppError, asAppError } from '../contract/errors.ts';
import type { EventSpec } from '../contract/event.ts';
import { type Room, userRoom } from '../contract/rooms.ts';
import { requireScopes, scopesOfSockets } from '../contract/scopes.ts';
import type { CatchUp } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { FeedFilter } from '../delivery/feed-filter.ts';
import { bearerToken } from '../infrastructure/bearer.ts';
import { clientAddress, networksOf } from '../infrastructure/client-address.ts';
import type { Log } from '../infrastructure/log.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';
import { SparseLog } from '../infrastructure/sparse-log.ts';
import type { Settings } from '../settings/settings.ts';
import { announceAtOnce, announceInParts } from './announcements.ts';
import { bindHandlers, type SocketServices } from './dispatch.ts';
import { Decoder, noteOversized, parleyParser } from './encoder.ts';
import { TokenExpiry } from './expiry.ts';
import { sendAway } from './farewell.ts';
import type { Feeds } from './feed.ts';
import { sendPacketsDirectly } from './frames.ts';
import type { Handler } from './handler.ts';
import { authOf } from './handshake.ts';
import { offsetOf, takesOffsets } from './offsets.ts';
import { Outlet } from './outlet.ts';
import { adaptPolling } from './polling.ts';
import { SessionRecovery } from './recovery.ts';
import { refusal, retryTimeOf, retryWhileUnavailable } from './refusal.ts';
import { type OwnRooms, Return, type ReturnDeps, startPositionsOf } from './return.ts';
import { SessionLimits } from './session-limits.ts';
import { watchSlowConsumers } from './slow-consumers.ts';
import type { ParleyServer, ParleySocket } from './socket.ts';
import { SocketCounts } from './socket-counts.ts';
import { isLive } from './subscription.ts';
import { type RoomAccess, Subscriptions } from './subscriptions.ts';
import { forgetRequest, gatherOpening, isOnlyOne, tearDownOf } from './wire.ts';

/** What the gateway needs from the layers below and from the features. */
export interface GatewayParts extends SocketServices {
  httpServer: HttpServer;
  settings: Settings;
  log: Log;
  nodeId: string;
  delivery: Delivery;
  catchUp: CatchUp;
  redis: RedisConnections | null;
  access: RoomAccess;
  feedFilter: FeedFilter;
  ownRooms: OwnRooms;
  /** @throws AppError with one of the 401 codes */
  authenticate(token: string, ip: string): Promise<Actor>;
  /** Whether this host serves only apps (contract §8, `APPS_URL`). */
  isAppsHost(host: string): boolean;
}

/** How long clients of a stopping node have to complete the closing handshake. */
const goodbyeMs = 1000;

/** The Socket.IO side of a node: who may connect, which rooms they are in, and how they recover. */
export class Gateway {
  readonly io: ParleyServer;
  readonly subscriptions: Subscriptions;
  readonly expiry: TokenExpiry;
  readonly counts: SocketCounts;
  private readonly parts: GatewayParts;
  private readonly sparseLog: SparseLog;
  private readonly recovery: SessionRecovery;
  private readonly returnDeps: ReturnDeps;
  private handlers: ReadonlyMap<string, Handler> = new Map();
  private readonly listeners: ((socket: ParleySocket) => void | Promise<void>)[] = [];
  private stopWatching = () => {};

  constructor(parts: GatewayParts) {
    this.parts = parts;
    this.sparseLog = new SparseLog(parts.log);
    const { settings, delivery, catchUp, redis, nodeId, log, feedFilter, access } = parts;
    this.recovery = new SessionRecovery(delivery, catchUp, redis, nodeId, settings.delivery, log);
    this.counts = new SocketCounts(settings);
    const sessions = new SessionLimits(parts);
    this.io = new Server(parts.httpServer, {
      path: '/socket.io/',
      serveClient: false,
      parser: parleyParser,
      pingInterval: settings.sockets.pingIntervalMs,
      pingTimeout: settings.sockets.pingTimeoutMs,
      maxHttpBufferSize: settings.sockets.maxPayloadBytes,
      cors: { origin: settings.corsOrigins.length > 0 ? settings.corsOrigins : true, credentials: true },
      allowRequest: (request, decide) => decide(null, sessions.admits(request)),
      connectionStateRecovery: {
        maxDisconnectionDuration: settings.delivery.recoverySeconds * 1000,
        skipMiddlewares: false,
      },
    });
    this.io.engine.on('initial_headers', (_headers, request) => gatherOpening(request));
    this.io.engine.on('connection', adaptPolling);
    sessions.watch(this.io.engine);
    this.io.adapter(this.createAdapter());
    const feeds: Feeds = new Map();
    const outlet = new Outlet(this.io, parts, feeds);
    this.expiry = new TokenExpiry(this.io, settings.accounts.expiryWarningSeconds);
    this.subscriptions = new Subscriptions({ io: this.io, delivery, catchUp, outlet, feeds, feedFilter, access, log });
    this.returnDeps = { ...parts, subscriptions: this.subscriptions, outlet };
    sendPacketsDirectly();
    this.io.use((socket, next) => void this.admit(socket, next));
    this.io.on('connection', (socket) => this.welcome(socket));
    delivery.start(outlet);
    delivery.onLost((room) => this.subscriptions.startOver(room));
    this.stopWatching = watchSlowConsumers(this.io, settings.sockets, log, () => delivery.counters.cutOffs++);
  }

  /** The handlers of all features; they need the gateway's subscriptions, so they are set after its construction. */
  setHandlers(handlers: Handler[]): void {
    this.handlers = new Map(handlers.map((handler) => [handler.event, handler]));
  }

  /** Calls `listener` for each socket once it is in its rooms. */
  onConnection(listener: (socket: ParleySocket) => void | Promise<void>): void {
    this.listeners.push(listener);
  }

  /** See SessionRecovery.handOver; for control messages from other nodes. */
  handOver(pid: string): Promise<void> {
    return this.recovery.handOver(pid);
  }

  /**
   * Broadcasts an event outside the log to the sockets of rooms on all nodes.
   * @param exceptSocket id of a socket that does not get it
   */
  emit(rooms: string[], event: EventSpec, data: object, exceptSocket: string | undefined): void {
    const all = this.io.to(rooms);
    // A WebSocket with a frame in flight drops volatile events: only for events that are stale at once.
    const targets = event.volatile ? all.volatile : all;
    (exceptSocket ? targets.except(exceptSocket) : targets).emit(event.name, data);
  }

  /** The sockets of this node that are in any of the rooms, and in none of `except`. */
  socketsIn(rooms: string[], except: string[]): ParleySocket[] {
    const { adapter, sockets } = this.io.of('/');
    const ids = new Set(rooms.flatMap((room) => [...(adapter.rooms.get(room) ?? [])]));
    for (const room of except) for (const id of adapter.rooms.get(room) ?? []) ids.delete(id);
    return [...ids].flatMap((id) => sockets.get(id) ?? []);
  }

  hasSockets(room: string): boolean {
    return this.io.of('/').adapter.rooms.has(room);
  }

  /** Closes the sockets of a session or of a user, after sending them the reason (contract §3). */
  disconnect(room: string, event: { name: string; data: object } | null): void {
    for (const socket of this.subscriptions.socketsOf(room)) {
      if (event) socket.emit(event.name, event.data);
      socket.disconnect(true);
    }
  }

  /** Closes sockets of a session or token no later than `endsAt` (ms since 1970), after a warning. */
  shorten(sessionId: string, endsAt: number): void {
    for (const socket of this.subscriptions.socketsOf(`session:${sessionId}`)) {
      const { actor } = socket.data;
      if (actor.expiresAt === null || actor.expiresAt > endsAt)
        this.expiry.renew(socket, { ...actor, expiresAt: endsAt });
    }
  }

  /** Puts a user's sockets on this node into a room that they belong to without joining. */
  followHere(userId: string, room: Room, after: number | undefined): void {
    const own = userRoom(userId);
    for (const socket of this.subscriptions.socketsOf(own)) {
      // A socket that is still entering gets the room announced once it is in, and follows it then.
      if (!isLive(socket, own)) continue;
      this.subscriptions.follow(socket, room, after).catch((error) => this.sendBack(socket, error));
    }
  }

  /**
   * Announces to all sockets that this node is draining, and closes them spread over time, up to `maxSpreadMs`, in a way
   * after which stock clients reconnect to another node (contract §9).
   */
  async drain(maxSpreadMs: number): Promise<void> {
    this.stopWatching();
    this.expiry.close();
    const sockets = [...this.io.of('/').sockets.values()];
    const tearDowns = sockets.map(tearDownOf);
    await sendAway(sockets, maxSpreadMs);
    for (const socket of [...this.io.of('/').sockets.values()]) socket.conn.close(true);
    await this.recovery.flush();
    this.io.engine.close();
    setTimeout(() => {
      for (const tearDown of tearDowns) tearDown();
    }, goodbyeMs).unref();
    await this.io.of('/').adapter.close();
  }

  /**
   * The Redis adapter carries events outside the log (typing, presence, stream deltas). Events for one socket of this
   * node never leave the node, and the hooks of connection state recovery call ours.
   */
  private createAdapter(): (nsp: unknown) => Adapter {
    const { redis, settings } = this.parts;
    const recovery = this.recovery;
    // Socket.IO calls it with `new`, so it must not be an arrow function.
    return function create(nsp: unknown): Adapter {
      const adapter = redis
        ? new RedisAdapter(nsp, redis.commands, redis.adapterSubscriber, { key: redis.named('socket.io') })
        : new Adapter(nsp);
      announceInParts(adapter, settings.sockets.writesAtOnce);
      const everywhere = adapter.broadcast.bind(adapter);
      adapter.broadcast = (packet, options) => {
        const [room] = options.rooms;
        const isOwnSocket = options.rooms.size === 1 && room !== undefined && adapter.sids.has(room);
        if (isOwnSocket) announceAtOnce(adapter, packet, options);
        else everywhere(packet, options);
      };
      adapter.persistSession = ({ pid, sid, data, rooms }) =>
        recovery.save(pid, sid, data as ParleySocket['data'], rooms);
      adapter.restoreSession = async (pid, offset) => {
        const restored = await recovery.restore(pid, offset, (sid) => adapter.sids.has(sid));
        if (!restored) throw new Error('This session cannot be restored.');
        return {
          sid: restored.sid,
          pid,
          rooms: [],
          data: { start: { recovery: restored.recovery } },
          missedPackets: [],
        };
      };
      return adapter;
    };
  }

  private async admit(socket: ParleySocket, next: (error?: Error) => void): Promise<void> {
    const isThere = () => socket.conn.readyState === 'open';
    const identified = retryWhileUnavailable(() => this.identify(socket), retryTimeOf(socket), isThere);
    const error = await identified.catch((reason) => refusal(reason, this.parts.log));
    if (error || !isThere()) this.recovery.release(socket);
    next(error ?? undefined);
  }

  /** @throws AppError with one of the 401 codes, RATE_LIMITED */
  private async identify(socket: ParleySocket): Promise<void> {
    const { headers, address } = socket.handshake;
    const { token = bearerToken(headers.authorization), recover } = authOf(socket);
    if (!token) throw new AppError('AUTH_TOKEN_MISSING');
    const came = performance.now();
    const client = clientAddress(headers, address, this.parts.settings.trustProxy);
    const actor = await this.parts.authenticate(token, client);
    if (actor.scopes) requireScopes(actor.scopes, scopesOfSockets);
    const recovery = socket.data.start?.recovery ?? null;
    const since = recovery?.since ?? came;
    // The private session id belongs to another user: nothing of the old session is theirs. A retry starts afresh.
    if (recovery && recovery.userId !== actor.userId) {
      this.recovery.forget(Reflect.get(socket, 'pid'));
      throw new AppError('ACCESS_TOKEN_INVALID');
    }
    this.counts.enter(socket, actor.userId, networksOf(client), recovery !== null);
    const start = { recovery, positions: await startPositionsOf(actor, this.parts, since), since };
    const { watched = [], crowds = [] } = recovery ?? {};
    const rooms = { subscriptions: new Map(), start, watched, crowds, isWhole: recovery !== null };
    const offsets = { takesOffsets: takesOffsets(socket, recover), cameWith: offsetOf(socket), unrecoverable: false };
    Object.assign(socket.data, { actor, ...rooms, replayed: [], firstMark: 0, sureMark: 0, pingMark: 0, ...offsets });
  }

  private welcome(socket: ParleySocket): void {
    this.recovery.release(socket);
    const pid: unknown = Reflect.get(socket, 'pid');
    const firstMark = this.parts.delivery.currentMark;
    Object.assign(socket.data, { firstMark, sureMark: firstMark, pingMark: firstMark, joinMark: 0 });
    const mayStay = isOnlyOne(socket) && (typeof pid !== 'string' || this.recovery.follow(pid, socket));
    if (!mayStay) {
      // Its state must not replace that of the other one, which is saved by the same id.
      socket.data.unrecoverable = true;
      socket.conn.close(true);
      return;
    }
    const decoder: unknown = Reflect.get(socket.client, 'decoder');
    if (decoder instanceof Decoder) decoder.isSignedIn = true;
    bindHandlers(socket, this.handlers, this.parts, this.parts.log);
    noteOversized(socket, this.parts.settings.sockets.maxPayloadBytes, this.parts.log);
    this.settle(socket).catch((error) => this.sendBack(socket, error));
  }

  /** A socket without all of its rooms would miss events silently. Closed, its client reconnects by itself. */
  private sendBack(socket: ParleySocket, error: unknown): void {
    const reason = asAppError(error).code;
    this.sparseLog.warn({ reason }, { err: error }, 'A socket could not enter its rooms.');
    socket.conn.close(true);
  }

  private async settle(socket: ParleySocket): Promise<void> {
    await new Return(this.returnDeps, socket).complete();
    forgetRequest(socket);
    // A socket that disconnected meanwhile would count as connected for ever: its end has already been reported.
    for (const listener of this.listeners) if (socket.connected) await listener(socket);
  }
}

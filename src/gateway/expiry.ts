import type { Actor } from '../contract/actor.ts';
import { credentialRooms } from '../contract/rooms.ts';
import { isoTime } from '../contract/schema.ts';
import { tokenExpiring } from '../contract/session.ts';
import { clock } from '../infrastructure/clock.ts';
import type { ParleyServer, ParleySocket } from './socket.ts';

const checkMs = 250;
/** At least this often all are looked at: an actor that was read again may end sooner than was known. */
const lookMs = 2000;

/** Closes sockets when their tokens expire, after a warning (contract §9). */
export class TokenExpiry {
  private readonly io: ParleyServer;
  private readonly warningMs: number;
  /** Those that were warned about their current token. */
  private readonly told = new WeakSet<ParleySocket>();
  private readonly timer: NodeJS.Timeout;
  /** Before this nothing is to be done (ms since 1970). */
  private due = 0;

  constructor(io: ParleyServer, warningSeconds: number) {
    this.io = io;
    this.warningMs = warningSeconds * 1000;
    // One timer for all: one per socket, with a listener, would be a good part of an idle socket's memory.
    this.timer = setInterval(() => this.check(), checkMs);
    this.timer.unref();
    io.on('connection', ({ data }) => this.expect(data.actor));
  }

  /** Continues with another token of the same user. */
  renew(socket: ParleySocket, actor: Actor): void {
    // A socket that has disconnected meanwhile would stay in the room for ever.
    if (!socket.connected) return;
    const [old, next] = [credentialRooms(socket.data.actor), credentialRooms(actor)];
    socket.data.actor = actor;
    this.expect(actor);
    void socket.join(next);
    for (const room of old) if (!next.includes(room)) void socket.leave(room);
    this.told.delete(socket);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    const now = clock.now();
    // Hardly ever is anything: to look at tens of thousands of sockets each time would be a good part of an idle node's work.
    if (now < this.due) return;
    this.due = now + lookMs;
    for (const socket of this.io.of('/').sockets.values()) {
      const { actor } = socket.data;
      if (actor.expiresAt === null) continue;
      if (actor.expiresAt <= now) {
        socket.disconnect(true);
        continue;
      }
      if (actor.expiresAt - now <= this.warningMs) this.warn(socket, actor.expiresAt);
      this.expect(actor, this.told.has(socket));
    }
  }

  /** Notes when something is next to be done about a socket of this actor. */
  private expect({ expiresAt }: Actor, isWarned = false): void {
    if (expiresAt === null) return;
    this.due = Math.min(this.due, isWarned ? expiresAt : expiresAt - this.warningMs);
  }

  private warn(socket: ParleySocket, expiresAt: number): void {
    if (this.told.has(socket)) return;
    this.told.add(socket);
    socket.emit(tokenExpiring.name, { expiresAt: isoTime(new Date(expiresAt)) });
  }
}

import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import { passingEvent } from '../delivery/event.ts';
import { isoTime, timeSchema } from '../schema.ts';
import type { ParleySocket } from './socket.ts';

export const tokenExpiring = passingEvent({
  name: 'auth:expiring',
  summary: 'The token of this socket ends soon; send auth:renew with a new one, or the socket is closed.',
  room: 'socket',
  payload: z.object({ expiresAt: timeSchema }),
});

/** Timers cannot run for longer than 24 days. */
const longestTimerMs = 24 * 60 * 60 * 1000;

/** The room of all sockets that came with one session or one token. */
export function credentialRoom(actor: Actor): string | null {
  const id = actor.sessionId ?? actor.personalTokenId ?? actor.agent?.tokenId;
  return id ? `session:${id}` : null;
}

/** Sockets end with their tokens, and are told before (contract §9). */
export class TokenExpiry {
  private readonly warningMs: number;
  private readonly timers = new WeakMap<ParleySocket, NodeJS.Timeout>();

  constructor(warningSeconds: number) {
    this.warningMs = warningSeconds * 1000;
  }

  watch(socket: ParleySocket): void {
    this.arm(socket, false);
    socket.once('disconnect', () => clearTimeout(this.timers.get(socket)));
  }

  /** Goes on with another token of the same user. */
  renew(socket: ParleySocket, actor: Actor): void {
    const [old, next] = [credentialRoom(socket.data.actor), credentialRoom(actor)];
    socket.data.actor = actor;
    if (next) void socket.join(next);
    if (old && old !== next) void socket.leave(old);
    this.arm(socket, false);
  }

  private arm(socket: ParleySocket, warned: boolean): void {
    clearTimeout(this.timers.get(socket));
    const { expiresAt } = socket.data.actor;
    if (expiresAt === null || !socket.connected) return;
    const left = expiresAt - Date.now();
    const due = warned ? left : left - this.warningMs;
    const wait = Math.min(Math.max(due, 0), longestTimerMs);
    const act = wait < due ? () => this.arm(socket, warned) : () => this.act(socket, expiresAt, warned);
    this.timers.set(socket, setTimeout(act, wait));
  }

  private act(socket: ParleySocket, expiresAt: number, warned: boolean): void {
    if (warned) {
      socket.disconnect(true);
    } else {
      socket.emit(tokenExpiring.name, { expiresAt: isoTime(new Date(expiresAt)) });
      this.arm(socket, true);
    }
  }
}

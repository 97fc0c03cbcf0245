import { io, type Socket } from 'socket.io-client';
import { until } from '../rig/until.ts';
import type { Loose } from './person.ts';

/** Someone at a door of the service. */
export interface Caller {
  url: string;
  token: string;
}

/**
 * A stock client that notes the number of every durable event it gets, per channel: what a room's log holds has to
 * arrive once and in order.
 */
export class Follower {
  readonly socket: Socket;
  /** One for each time that it was connected: whether Socket.IO recovered the connection. */
  readonly connections: boolean[] = [];
  readonly errors: string[] = [];
  private readonly seqs = new Map<string, number[]>();

  constructor({ url, token }: Caller, options: Parameters<typeof io>[1] = {}) {
    const auth = { token, ...(typeof options?.auth === 'object' ? options.auth : {}) };
    const pace = { reconnectionDelay: 20, reconnectionDelayMax: 100 };
    this.socket = io(url, { transports: ['websocket'], forceNew: true, ...pace, ...options, auth });
    this.socket.on('connect', () => this.connections.push(this.socket.recovered));
    this.socket.on('connect_error', (error) => this.errors.push(error.message));
    this.socket.onAny((_event: string, data: Loose) => this.note(data));
  }

  /** Waits until it has been connected so many times. @returns whether the last one was recovered */
  async connected(times: number, timeout = 20_000): Promise<boolean> {
    const message = `not connected ${times} times (${this.errors.at(-1)})`;
    await until(() => this.connections.length >= times, { timeout, message });
    return this.connections.at(-1) === true;
  }

  /** Enters a channel's room. @returns the ack, its events counted as received */
  join(channelId: string, after?: number): Promise<Loose> {
    return new Promise((resolve, reject) => {
      this.socket.timeout(20_000).emit('channel:join', { channelId, after }, (error: Error | null, ack: Loose) => {
        if (!ack?.ok) return reject(error ?? new Error(`cannot join: ${JSON.stringify(ack)}`));
        // In this very moment: the next packet may be an event of the room.
        for (const { data } of ack.events) this.note(data);
        resolve(ack);
      });
    });
  }

  /** The numbers of a channel's events, in the order of their arrival. */
  seen(channelId: string): number[] {
    return this.seqs.get(channelId) ?? [];
  }

  /** Waits for an event of a channel. */
  async reach(channelId: string, seq: number, timeout = 20_000): Promise<void> {
    const message = `event ${seq} did not come, the last is ${this.seen(channelId).at(-1)}`;
    await until(() => this.seen(channelId).includes(seq), { timeout, message });
  }

  close(): void {
    this.socket.disconnect();
  }

  private note(data: Loose): void {
    const { channelId, eventSeq } = data ?? {};
    if (typeof channelId !== 'string' || typeof eventSeq !== 'number') return;
    const seqs = this.seqs.get(channelId);
    if (seqs) seqs.push(eventSeq);
    else this.seqs.set(channelId, [eventSeq]);
  }
}

/** The numbers from `first` to `last`. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

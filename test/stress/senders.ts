import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { persist } from '../world/persistent.ts';
import type { Loose } from '../world/person.ts';
import { contentOf, type Ledger } from './ledger.ts';
import type { Seat } from './receivers.ts';

/** How a message is sent: over REST with a nonce or an Idempotency-Key, or over a socket. */
export type Way = 'nonce' | 'key' | 'socket';
export const ways: Way[] = ['nonce', 'key', 'socket'];

export interface SenderOptions {
  name: string;
  way: Way;
  /** Between two messages, in milliseconds. */
  pauseMs: number;
  /** Characters added to each message. */
  padding: number;
  /** Whether messages are reacted to and deleted, too. */
  lively: boolean;
}

const triesMs = 30_000;

/** Sends one message after the other, each until it is acknowledged. */
export class Sender {
  private readonly seat: Seat;
  private readonly ledger: Ledger;
  private readonly options: SenderOptions;
  private readonly socket: Socket | undefined;
  private readonly close: (() => void) | undefined;
  private count = 0;
  private stopped = false;
  private last: string | undefined;
  private readonly running: Promise<void>;

  constructor(seat: Seat, ledger: Ledger, options: SenderOptions) {
    this.seat = seat;
    this.ledger = ledger;
    this.options = options;
    if (options.way === 'socket') {
      this.socket = this.connect();
      this.close = persist(this.socket, 200);
    }
    this.running = this.run();
  }

  /** From now on it sends there as well. */
  alsoTo(channelId: string): void {
    this.seat.channelIds.unshift(channelId);
    this.count += this.seat.channelIds.length - (this.count % this.seat.channelIds.length);
  }

  /** Ends after the message that is under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    this.close?.();
  }

  private connect(): Socket {
    const pace = { reconnectionDelay: 50, reconnectionDelayMax: 400, timeout: 2000 };
    const auth = { token: this.seat.token };
    return io(this.seat.url, { transports: ['websocket'], forceNew: true, ...pace, auth });
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const { channelIds } = this.seat;
      const channelId = channelIds[this.count % channelIds.length] ?? '';
      const message = await this.send(channelId, `${this.options.name}-${++this.count}`);
      if (message && this.count % 8 === 0) await this.edit(message.id);
      if (message && this.options.lively) await this.change(message.id);
      await delay(this.options.pauseMs * (0.5 + Math.random()));
    }
  }

  /** Tries until the service says that it has the message. */
  private async send(channelId: string, key: string): Promise<Loose> {
    const sentAt = Date.now();
    const content = contentOf(key, sentAt, this.options.padding);
    this.ledger.sent++;
    for (let pause = 50; Date.now() - sentAt < triesMs; pause = Math.min(pause * 2, 400)) {
      const { message, refused } = await this.once(channelId, key, content);
      if (refused) this.ledger.broken.push(`${key} was refused: ${refused}`);
      if (message) this.ledger.acknowledged(key, message, sentAt);
      if (message || refused) return message;
      await delay(pause);
    }
    this.ledger.broken.push(`${key} could not be sent in ${triesMs} ms`);
    return undefined;
  }

  private async once(channelId: string, key: string, content: string): Promise<{ message?: Loose; refused?: string }> {
    if (this.socket) {
      const payload = { channelId, content, nonce: key };
      const ack: Loose = await this.socket
        .timeout(3000)
        .emitWithAck('message:send', payload)
        .catch(() => null);
      return outcome(ack?.ok ? 201 : isPassing(ack?.code) ? 503 : ack ? 400 : 0, ack?.message, ack?.code);
    }
    const headers: Record<string, string> = this.options.way === 'key' ? { 'idempotency-key': key } : {};
    const body = this.options.way === 'nonce' ? { content, nonce: key } : { content };
    const { status, answer } = await request(this.seat, 'POST', `/api/channels/${channelId}/messages`, body, headers);
    return outcome(status, answer, answer?.code);
  }

  private async edit(id: string): Promise<void> {
    const content = `edited ${id}`;
    const { status, answer } = await request(this.seat, 'PATCH', `/api/messages/${id}`, { content });
    if (status >= 400 && status < 500) this.ledger.broken.push(`an edit was refused: ${answer?.code}`);
    if (status === 200) this.ledger.words.set(id, content);
  }

  /** Deletes the message before or has a reaction to it, now and then. */
  private async change(id: string): Promise<void> {
    const before = this.last;
    this.last = id;
    if (!before) return;
    const path = `/api/messages/${before}`;
    if (this.count % 4 === 0) {
      // 404: it was done at the first try, whose answer did not arrive.
      const { status } = await insist(this.seat, 'DELETE', path);
      if (status === 200 || status === 404) this.ledger.words.set(before, null);
    } else if (this.count % 4 === 2) {
      const { status } = await insist(this.seat, 'POST', `${path}/reactions`, { emoji: '👍' });
      if (status < 300) this.ledger.reacted.add(before);
    }
  }
}

function isPassing(code: unknown): boolean {
  return code === 'DATABASE_UNAVAILABLE' || code === 'SERVER_BUSY';
}

function outcome(status: number, message: Loose, code: unknown): { message?: Loose; refused?: string } {
  if (status === 200 || status === 201) return { message };
  const passing = status === 0 || status === 503;
  return passing ? {} : { refused: `${status} ${String(code)}` };
}

/** Asks until there is an answer, and the same thing each time. */
export async function insist(
  seat: { url: string; token: string },
  method: string,
  path: string,
  body: object = {},
): Promise<{ status: number; answer: Loose }> {
  const headers = { 'idempotency-key': randomUUID() };
  for (const end = Date.now() + triesMs; ; await delay(100)) {
    const outcome = await request(seat, method, path, body, headers);
    if ((outcome.status > 0 && outcome.status < 500) || Date.now() > end) return outcome;
  }
}

/** Status 0: no answer came. */
export async function request(
  seat: { url: string; token: string },
  method: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
  stopping?: AbortSignal,
): Promise<{ status: number; answer: Loose }> {
  try {
    const response = await fetch(seat.url + path, {
      method,
      body: method === 'GET' ? undefined : JSON.stringify(body),
      headers: { authorization: `Bearer ${seat.token}`, 'content-type': 'application/json', ...headers },
      signal: stopping ? AbortSignal.any([stopping, AbortSignal.timeout(8000)]) : AbortSignal.timeout(6000),
    });
    const answer: Loose = await response.json();
    return { status: response.status, answer };
  } catch {
    return { status: 0, answer: undefined };
  }
}

import type { z } from 'zod';
import type { sendMessageSchema } from '../contract/message.ts';
import { Backoff, pause } from './backoff.ts';
import { asParleyError, ParleyError } from './errors.ts';
import type { Message } from './index.ts';
import { type KeyValueStore, keysOf } from './store.ts';

export type MessageInput = Omit<z.input<typeof sendMessageSchema>, 'nonce'>;

/** A message that the server has not acknowledged yet. */
export interface Pending {
  nonce: string;
  channelId: string;
  input: MessageInput;
  /** Its author; it is never sent as someone else. */
  userId: string | null;
  /** Milliseconds since 1970. */
  queuedAt: number;
  /** Whether it may have reached the server already. */
  attempted: boolean;
}

interface Waiter {
  resolve(message: Message): void;
  reject(error: ParleyError): void;
}

const keyPrefix = 'parley:outbox:';
/** The server remembers a nonce for 24 h; a message first tried before that cannot be retried safely. */
const safeAgeMs = 23 * 3600 * 1000;

/**
 * Unacknowledged messages. Each channel's are sent one after the other, each retried with the same nonce until the server
 * has answered: so every one is sent exactly once, in order, whatever happens in between.
 */
export class Outbox {
  private readonly store: KeyValueStore;
  private readonly attempt: (pending: Pending, signal: AbortSignal) => Promise<Message>;
  private readonly settled: (pending: Pending, outcome: Message | ParleyError) => void;
  private readonly lanes = new Map<string, Pending[]>();
  private readonly waiters = new Map<string, Waiter>();
  /** Nonces of the messages in the store. */
  private readonly kept = new Set<string>();
  private waking = new AbortController();
  private order = Date.now();

  /**
   * @param attempt sends a message once
   * @param settled called when a message was acknowledged or refused, before its promise settles
   */
  constructor(
    store: KeyValueStore,
    attempt: (pending: Pending, signal: AbortSignal) => Promise<Message>,
    settled: (pending: Pending, outcome: Message | ParleyError) => void,
  ) {
    this.store = store;
    this.attempt = attempt;
    this.settled = settled;
  }

  /** Unacknowledged messages of a channel, in sending order. */
  pending(channelId: string): readonly Pending[] {
    return this.lanes.get(channelId) ?? [];
  }

  /** @returns the message as stored. @throws ParleyError when the server refuses it */
  send(channelId: string, input: MessageInput, userId: string | null, nonce = newNonce()): Promise<Message> {
    // Strictly rising, so that the order survives a reload.
    this.order = Math.max(this.order + 1, Date.now());
    const pending: Pending = { nonce, channelId, input, userId, queuedAt: this.order, attempted: false };
    this.keep(pending);
    return new Promise((resolve, reject) => {
      this.waiters.set(pending.nonce, { resolve, reject });
      this.queue(pending);
    });
  }

  /** Resumes the messages that this user had not sent when the program ended. */
  restore(userId: string): void {
    const kept = keysOf(this.store, keyPrefix).map((key): Pending => JSON.parse(this.store.getItem(key) ?? '{}'));
    const known = new Set([...this.lanes.values()].flat().map(({ nonce }) => nonce));
    const own = kept.filter((pending) => pending.userId === userId && !known.has(pending.nonce));
    for (const pending of own.sort((a, b) => a.queuedAt - b.queuedAt)) {
      this.kept.add(pending.nonce);
      this.queue(pending);
    }
  }

  /** There is a (new) connection: messages that wait or hang are tried at once. */
  wake(): void {
    this.waking.abort();
    this.waking = new AbortController();
  }

  /** Drops everything; for signing out. */
  clear(): void {
    const all = [...this.lanes.values()].flat();
    for (const pending of all) this.finish(pending, new ParleyError({ code: 'SIGNED_OUT', error: 'Not sent.' }));
    this.wake();
  }

  /** Withdraws a message that has not been sent; one on its way can no longer be stopped. */
  cancel(nonce: string): boolean {
    const pending = [...this.lanes.values()].flat().find((candidate) => candidate.nonce === nonce);
    if (!pending || pending.attempted) return false;
    this.finish(pending, new ParleyError({ code: 'CLOSED', error: 'Withdrawn before it was sent.' }));
    return true;
  }

  private queue(pending: Pending): void {
    const lane = this.lanes.get(pending.channelId);
    if (lane) lane.push(pending);
    else {
      this.lanes.set(pending.channelId, [pending]);
      void this.drain(pending.channelId);
    }
  }

  private async drain(channelId: string): Promise<void> {
    const backoff = new Backoff(500, 10_000);
    for (let next = this.pending(channelId)[0]; next; next = this.pending(channelId)[0]) {
      const { signal } = this.waking;
      const outcome = await this.tryOnce(next, signal);
      if (!this.pending(channelId).includes(next)) continue;
      if (outcome instanceof ParleyError && outcome.isPassing) {
        await pause(backoff.next() + (outcome.retryAfter ?? 0) * 1000, signal);
      } else {
        backoff.reset();
        this.finish(next, outcome);
      }
    }
    this.lanes.delete(channelId);
  }

  private async tryOnce(pending: Pending, signal: AbortSignal): Promise<Message | ParleyError> {
    if (pending.attempted && Date.now() - pending.queuedAt > safeAgeMs) {
      const error = 'It is unknown whether this was sent; check, and send it again if it was not.';
      return new ParleyError({ code: 'TOO_OLD', error });
    }
    if (!pending.attempted) {
      if (this.isGone(pending)) {
        return new ParleyError({ code: 'CLOSED', error: 'Withdrawn or sent in another tab.' });
      }
      pending.attempted = true;
      this.keep(pending);
    }
    return this.attempt(pending, signal).catch(asParleyError);
  }

  /** Tabs share one store: another one may since have handled messages that this one took over. */
  private isGone({ nonce }: Pending): boolean {
    return this.kept.has(nonce) && this.store.getItem(keyPrefix + nonce) === null;
  }

  private finish(pending: Pending, outcome: Message | ParleyError): void {
    const lane = this.lanes.get(pending.channelId);
    const index = lane?.indexOf(pending) ?? -1;
    if (index >= 0) lane?.splice(index, 1);
    this.store.removeItem(keyPrefix + pending.nonce);
    this.kept.delete(pending.nonce);
    const waiter = this.waiters.get(pending.nonce);
    this.waiters.delete(pending.nonce);
    this.settled(pending, outcome);
    if (outcome instanceof ParleyError) waiter?.reject(outcome);
    else waiter?.resolve(outcome);
  }

  private keep(pending: Pending): void {
    try {
      this.store.setItem(keyPrefix + pending.nonce, JSON.stringify(pending));
      this.kept.add(pending.nonce);
    } catch {
      // A full store only means that the message does not survive the end of the program.
    }
  }
}

/** Browsers offer `crypto.randomUUID` on secure pages only. */
function newNonce(): string {
  // The server stores it twice with each message, and it need only be unique among those of one sender in one channel.
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(9))));
}

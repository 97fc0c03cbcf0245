import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../../contract/actor.ts';
import type { ErrorCode } from '../../contract/error-codes.ts';
import { AppError } from '../../contract/errors.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { EventsService } from '../events/events.service.ts';
import type { EventStream } from './event-stream.ts';
import { channelUri } from './resource-uris.ts';
import type { SubscriptionRow } from './subscription.table.ts';
import type { McpSubscriptions } from './subscriptions.service.ts';
import { ToldPositions } from './told-positions.ts';

/** How often it notes how far it is, looks for subscriptions that it was not told of, and checks its token. */
const roundMs = 10_000;
/** Subscriptions are forgotten a day after the last stream. */
const touchMs = 30 * 60_000;
/** A channel that everyone writes in is notified of once in this time. */
const pauseMs = 1000;
/** Balances streams over nodes, and bounds how long one that nobody reads is kept. */
const lastingMs = 60 * 60_000;
const waitSeconds = 25;
const page = 500;

export interface ListenerParts {
  events: EventsService;
  subscriptions: McpSubscriptions;
  /** @throws AppError with which the actor's token would be refused now */
  refreshed: (actor: Actor) => Promise<Actor>;
  log: Log;
}

/** An open stream of a session: follows the logs of its channels, and notifies it as they grow. */
export class Listener {
  readonly sessionId: string;
  readonly actor: Actor;
  private readonly parts: ListenerParts;
  private readonly stream: EventStream;
  private readonly over = new AbortController();
  /** Those who follow a channel each, by its id. */
  private readonly followers = new Map<string, AbortController>();
  private readonly told = new ToldPositions();
  private wake: () => void = () => {};
  /** Its subscriptions have changed since it last began to look. */
  private isOutdated = false;
  private touchedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ListenerParts, actor: Actor, sessionId: string, stream: EventStream) {
    this.parts = parts;
    this.actor = actor;
    this.sessionId = sessionId;
    this.stream = stream;
  }

  /** Runs until the stream ends: the client is gone, its token has ended, the node stops, or it is old. */
  async run(): Promise<void> {
    const { signal } = this.over;
    const oldAt = performance.now() + lastingMs;
    this.stream.body.once('close', () => this.end());
    try {
      while (!signal.aborted && performance.now() < oldAt) {
        await this.round();
        await this.nextRound();
      }
    } catch (error) {
      if (!(error instanceof AppError)) this.parts.log.warn({ err: error }, 'A stream of notifications broke.');
    } finally {
      this.end();
      await this.note().catch((error) => this.parts.log.debug({ err: error }, 'Positions of a stream were not noted.'));
    }
  }

  get isOver(): boolean {
    return this.over.signal.aborted;
  }

  end(): void {
    this.over.abort();
    this.stream.end();
    this.wake();
  }

  /** Its subscriptions may have changed. */
  look(): void {
    this.isOutdated = true;
    this.wake();
  }

  private async round(): Promise<void> {
    this.isOutdated = false;
    await this.parts.refreshed(this.actor);
    await this.note();
    const rows = await this.parts.subscriptions.ofSession(this.sessionId);
    const wanted = new Set(rows.map(({ channelId }) => channelId));
    for (const [channelId, follower] of this.followers) {
      if (wanted.has(channelId)) continue;
      follower.abort();
      this.followers.delete(channelId);
    }
    for (const row of rows) if (!this.followers.has(row.channelId)) this.follow(row);
  }

  private nextRound(): Promise<void> {
    if (this.over.signal.aborted || this.isOutdated) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, roundMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Notes what has settled: what is followed anew begins there. From time to time it shows that the session is there. */
  private async note(): Promise<void> {
    const isTouch = this.followers.size > 0 && performance.now() - this.touchedAt > touchMs;
    if (isTouch) this.touchedAt = performance.now();
    // A position of 0 moves nothing.
    const open = isTouch ? [...this.followers.keys()].map((channelId) => ({ channelId, seq: 0 })) : [];
    const settled = this.told.settled();
    const others = open.filter(({ channelId }) => settled.every((one) => one.channelId !== channelId));
    await this.parts.subscriptions.advance(this.sessionId, [...settled, ...others]);
  }

  private follow({ channelId, seq }: SubscriptionRow): void {
    const follower = new AbortController();
    this.followers.set(channelId, follower);
    this.followOn(channelId, seq, AbortSignal.any([follower.signal, this.over.signal]))
      .catch((error) => this.failed(channelId, error))
      .finally(() => {
        if (this.followers.get(channelId) === follower) this.followers.delete(channelId);
      });
  }

  private async followOn(channelId: string, from: number, signal: AbortSignal): Promise<void> {
    for (let after = from; !signal.aborted; ) {
      const query = { after, limit: page, wait: waitSeconds, noted: false };
      const { entries, seq, recovered } = await this.parts.events.ofChannel(this.actor, channelId, query, signal);
      if (signal.aborted) return;
      const isNews = entries.length > 0 || !recovered;
      if (isNews) await this.stream.send(updated(channelId), signal);
      if (seq !== after) this.told.add(channelId, seq);
      after = seq;
      if (isNews) await delay(pauseMs, undefined, { signal });
    }
  }

  /** Who lost the channel loses the subscription; who lost the token, the stream. What passes is tried again next round. */
  private async failed(channelId: string, error: unknown): Promise<void> {
    if (this.isOver || !(error instanceof AppError) || error.status >= 500) return;
    if (!lost.has(error.code)) this.end();
    else await this.parts.subscriptions.unsubscribe(this.sessionId, channelId).catch(() => {});
  }
}

/** What a channel's log is refused with to those who may not read it. */
const lost = new Set<ErrorCode>(['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN']);

const updated = (channelId: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri: channelUri(channelId) },
});

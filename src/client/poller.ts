import { Backoff, pause } from './backoff.ts';
import { asParleyError } from './errors.ts';
import type { Feed, LogPage } from './feed.ts';
import type { Http } from './http.ts';

/** Browsers open few connections to a host; some must be left for what users do. */
const mostWaiting = 3;
const longestWaitSeconds = 20;
const slackMs = 10_000;

/**
 * Push without sockets: polls each room's log for the next events, and the server delays its answer until there are
 * some (contract §10.4). Many channels take turns, with shorter waits; the user's own room has one poll to itself.
 */
export class Poller {
  private readonly http: Http;
  private readonly feeds: () => Iterable<Feed>;
  private readonly changed: () => void;
  private readonly dropped: (feed: Feed, error: unknown) => void;
  private readonly stopping = new AbortController();
  private rearranging = new AbortController();
  private readonly polled = new Set<Feed>();
  private turn = 0;
  private readonly turns = new WeakMap<Feed, number>();
  private readonly backoff = new Backoff(500, 10_000);
  /** Whether the last poll was answered. */
  reachable = false;

  /**
   * @param changed called when `reachable` or a feed's `live` changed
   * @param dropped called when the server no longer serves a feed
   */
  constructor(
    http: Http,
    feeds: () => Iterable<Feed>,
    changed: () => void,
    dropped: (feed: Feed, error: unknown) => void,
  ) {
    this.http = http;
    this.feeds = feeds;
    this.changed = changed;
    this.dropped = dropped;
    for (let i = 0; i < mostWaiting; i++) void this.takeTurns(i === 0);
  }

  stop(): void {
    this.stopping.abort();
  }

  /** The set of feeds changed: a new one must not wait, and a removed one is not waited for. */
  rearrange(): void {
    this.rearranging.abort();
    this.rearranging = new AbortController();
  }

  private async takeTurns(own: boolean): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const feed = this.next(own);
      if (!feed) {
        await pause(200, signal);
        continue;
      }
      this.polled.add(feed);
      await this.poll(feed);
      this.polled.delete(feed);
    }
  }

  /** The feed without a poll that has waited longest; it goes to the end of the queue. */
  private next(own: boolean): Feed | undefined {
    const waiting = [...this.feeds()].filter((feed) => isOwn(feed) === own && !this.polled.has(feed));
    const [first] = waiting.sort((a, b) => (this.turns.get(a) ?? 0) - (this.turns.get(b) ?? 0));
    if (first) this.turns.set(first, ++this.turn);
    return first;
  }

  private async poll(feed: Feed): Promise<void> {
    const signal = AbortSignal.any([this.stopping.signal, this.rearranging.signal]);
    try {
      const page = await this.read(feed, signal);
      if (signal.aborted) return;
      this.backoff.reset();
      feed.takePage(page);
      if (!signal.aborted) feed.live = !page.hasMore;
      this.report(true);
    } catch (error) {
      if (signal.aborted) return;
      const failure = asParleyError(error);
      if (failure.isPassing) {
        this.report(failure.code !== 'NETWORK');
        await pause(this.backoff.next() + (failure.retryAfter ?? 0) * 1000, signal);
      } else {
        this.dropped(feed, error);
        // The user's own room stays: without a delay it would be polled over and over.
        await pause(this.backoff.next(), signal);
      }
    }
  }

  private read(feed: Feed, signal: AbortSignal): Promise<LogPage> {
    const channels = [...this.feeds()].length - 1;
    const share = isOwn(feed) ? 1 : Math.min(1, (mostWaiting - 1) / channels);
    const wait = feed.live && this.reachable ? Math.max(1, Math.floor(longestWaitSeconds * share)) : 0;
    const query = { after: feed.position, wait, limit: 500 };
    const options = { signal, timeoutMs: wait * 1000 + slackMs };
    if (feed.channelId === null) return this.http.call('GET /api/events', [{ query }], options);
    return this.http.call('GET /api/channels/:id/events', [{ id: feed.channelId, query }], options);
  }

  private report(reachable: boolean): void {
    this.reachable = reachable;
    this.changed();
  }
}

const isOwn = (feed: Feed): boolean => feed.channelId === null;

import { Backoff, pause } from './backoff.ts';
import { asParleyError, networkError, ParleyError } from './errors.ts';
import { channelIdOf, isOwnEvent } from './events.ts';
import { Feed, type LogPage } from './feed.ts';
import type { Http } from './http.ts';
import { Lane } from './lane.ts';
import { Link } from './link.ts';
import { Poller } from './poller.ts';
import type { Session } from './session.ts';

/** An honest status: nothing arrives; some of it does; all events arrive live. */
export type Status = 'offline' | 'catching up' | 'live';

export interface ConnectionState {
  status: Status;
  /** How events arrive; null while none do. */
  via: 'socket' | 'polling' | null;
}

export interface ConnectionHandlers {
  state(state: ConnectionState): void;
  /** An event of the user's own room, or one without a feed. */
  event(name: string, data: object): void;
  /** Own events were lost for good. */
  reload(): void;
  /** The server does not serve this feed (any more). */
  dropped(feed: Feed, error: ParleyError): void;
}

/** Failed attempts after which the log is polled, while sockets are still being tried. */
const failuresBeforePolling = 2;
/** While polling works there is no hurry to get a socket. */
const retryWhilePollingMs = 30_000;

/** How many channels are joined at once: on a slow line all answers at once would be late for each. */
const mostJoining = 8;
/** How long an answer may take. A connection given up too early costs another one, which transfers everything again. */
const [shortestAckMs, longestAckMs] = [6000, 48_000];

/** Keeps one connection to the server open as long as it is wanted, and every feed caught up. */
export class Connection {
  private readonly url: string;
  private readonly http: Http;
  private readonly session: Session;
  private readonly handlers: ConnectionHandlers;
  private readonly feeds = new Map<string, Feed & { channelId: string }>();
  private readonly own: Feed;
  private readonly backoff = new Backoff(500, 10_000);
  private wanted: AbortController | null = null;
  private hurry = new AbortController();
  private link: Link | null = null;
  private joins = new Lane(mostJoining);
  private ackMs = shortestAckMs;
  private poller: Poller | null = null;
  private failures = 0;
  private last: ConnectionState = { status: 'offline', via: null };

  constructor(url: string, http: Http, session: Session, handlers: ConnectionHandlers) {
    this.url = url;
    this.http = http;
    this.session = session;
    this.handlers = handlers;
    this.own = new Feed(
      null,
      (event, data) => handlers.event(event, data),
      () => handlers.reload(),
    );
  }

  get state(): ConnectionState {
    if (this.link) return { status: this.own.live && this.allLive ? 'live' : 'catching up', via: 'socket' };
    if (!this.poller?.reachable) return { status: 'offline', via: null };
    return { status: this.own.live && this.allLive ? 'live' : 'catching up', via: 'polling' };
  }

  get position(): number | undefined {
    return this.own.position;
  }

  /** @param after the position of the user's own room, if it is known from before */
  start(after?: number): void {
    if (this.wanted) return;
    this.own.position ??= after;
    this.wanted = new AbortController();
    void this.run(this.wanted.signal);
  }

  stop(): void {
    this.wanted?.abort();
    this.wanted = null;
    this.poller?.stop();
    this.poller = null;
    this.own.position = undefined;
    this.link?.close();
    this.lost();
  }

  /** Tries now instead of after the delay; for when the network is known to be back. */
  retryNow(): void {
    this.backoff.reset();
    this.hurry.abort();
  }

  /** For when the connection may have died silently: checks at once whether it lives, or tries to open a new one. */
  verify(): void {
    if (this.link) this.link.probe();
    else this.retryNow();
  }

  /** Drops a connection that is known to be gone, without waiting for a timeout. */
  giveUp(): void {
    this.link?.close();
  }

  /** Adds a channel's feed and catches it up, now or with the next connection. */
  add(feed: Feed & { channelId: string }): void {
    this.feeds.set(feed.channelId, feed);
    if (this.link) this.joinInTurn(this.link, feed);
    this.poller?.rearrange();
    this.report();
  }

  remove(feed: Feed & { channelId: string }): void {
    if (this.feeds.get(feed.channelId) !== feed) return;
    this.feeds.delete(feed.channelId);
    this.link?.tell('channel:leave', { channelId: feed.channelId });
    this.poller?.rearrange();
    this.report();
  }

  /**
   * Sends an event over the socket and waits for its ack.
   * @throws ParleyError NETWORK when there is no socket
   */
  async call<A>(event: string, payload: object): Promise<A> {
    if (!this.link) throw networkError();
    return this.link.call<A>(event, payload);
  }

  get hasSocket(): boolean {
    return this.link !== null;
  }

  /** Sends what is worthless later, if there is a socket. */
  tell(event: string, payload: object): void {
    this.link?.tell(event, payload);
  }

  private get allLive(): boolean {
    for (const feed of this.feeds.values()) if (!feed.live) return false;
    return true;
  }

  private async run(wanted: AbortSignal): Promise<void> {
    while (!wanted.aborted) {
      const renewed = await this.holdLink(wanted).then(
        () => false,
        (error) => !wanted.aborted && this.failed(asParleyError(error)),
      );
      if (wanted.aborted) return;
      this.hurry = new AbortController();
      const ms = this.poller?.reachable ? retryWhilePollingMs : this.backoff.next();
      if (!renewed) await pause(ms, AbortSignal.any([wanted, this.hurry.signal]));
    }
  }

  /** One connection, from opening to end. @throws ParleyError when it could not be opened */
  private async holdLink(wanted: AbortSignal): Promise<void> {
    const { position } = this.own;
    const resume = position === undefined ? undefined : { user: position };
    const auth = { token: this.session.accessToken, resume };
    const handlers = { event: (name: string, data: object) => this.take(name, data) };
    const link = await Link.open(this.url, auth, handlers, { ackMs: this.ackMs, signal: wanted });
    this.backoff.reset();
    this.failures = 0;
    this.poller?.stop();
    this.poller = null;
    this.link = link;
    this.joins = new Lane(mostJoining);
    for (const feed of this.feeds.values()) feed.live = false;
    for (const feed of this.feeds.values()) this.joinInTurn(link, feed);
    this.report();
    await link.closed;
    if (link.unheard) this.ackMs = Math.min(2 * this.ackMs, longestAckMs);
    this.lost();
  }

  private lost(): void {
    this.link = null;
    this.own.live = false;
    for (const feed of this.feeds.values()) feed.live = false;
    this.report();
  }

  /** @returns whether there is a new token now, to be tried at once */
  private async failed(error: ParleyError): Promise<boolean> {
    this.failures++;
    // SIGNED_OUT: another tab has emptied the store.
    if (error.code === 'SESSION_REVOKED' || error.code === 'SIGNED_OUT' || error.isShutOut) this.session.end(error);
    if (error.isTokenRefused && this.session.tokens) return this.renewAfterRefusal();
    if (this.failures >= failuresBeforePolling && error.code === 'NETWORK') this.poll();
    return false;
  }

  private async renewAfterRefusal(): Promise<boolean> {
    const refused = this.session.accessToken;
    const token = await this.session.renew(refused).catch(() => refused);
    // A server that refuses the new one too must not be asked without a delay.
    return token !== refused && this.failures === 1;
  }

  private poll(): void {
    this.poller ??= new Poller(
      this.http,
      () => [this.own, ...this.feeds.values()],
      () => this.report(),
      (feed, reason) => this.drop(feed, asParleyError(reason)),
    );
  }

  private joinInTurn(link: Link, feed: Feed & { channelId: string }): void {
    this.joins.add(() => this.join(link, feed));
  }

  private async join(link: Link, feed: Feed & { channelId: string }): Promise<void> {
    // A channel closed meanwhile has been left, and must not be joined again.
    const isWanted = () => this.link === link && this.feeds.get(feed.channelId) === feed;
    try {
      let hasMore = true;
      while (hasMore && isWanted()) {
        const payload = { channelId: feed.channelId, after: feed.position };
        const page = await link.call<LogPage>('channel:join', payload, (answer) => {
          if (isWanted()) feed.takePage(answer);
          if (isWanted()) feed.live = !answer.hasMore;
        });
        hasMore = page.hasMore;
      }
      if (isWanted()) this.report();
    } catch (error) {
      if (!isWanted()) return;
      const failure = asParleyError(error);
      if (!failure.isPassing) return this.drop(feed, failure);
      await pause((failure.retryAfter ?? 1) * 1000);
      await this.join(link, feed);
    }
  }

  private drop(feed: Feed, error: ParleyError): void {
    if (feed.channelId === null) return;
    this.feeds.delete(feed.channelId);
    this.handlers.dropped(feed, error);
    this.report();
  }

  private take(event: string, data: object): void {
    if (event === 'ready') this.arrived('seq' in data ? Number(data.seq) : 0);
    else if (event === 'resumed') this.resumed('user' in data ? data.user : null);
    else if (event === 'auth:expiring') void this.renewToken();
    else if (event === 'auth:session-revoked') {
      this.session.end(new ParleyError({ code: 'SESSION_REVOKED', error: 'This session was ended.' }, 401));
    } else if (isOwnEvent(event)) this.own.take(event, data);
    else {
      const feed = this.feeds.get(channelIdOf(data) ?? '');
      // DMs arrive without joining; events before the join's answer are in that answer too, in the right place.
      if (feed && (feed.live || !('eventSeq' in data))) feed.take(event, data);
      else if (!feed) this.handlers.event(event, data);
    }
  }

  /** In the user's own room: its missed events have arrived before. */
  private arrived(seq: number): void {
    this.own.position = seq;
    this.own.live = true;
  }

  private resumed(user: unknown): void {
    const isWhole = typeof user !== 'object' || user === null || !('recovered' in user) || user.recovered === true;
    if (!isWhole) this.handlers.reload();
  }

  private async renewToken(): Promise<void> {
    const token = await this.session.renew(this.session.accessToken).catch(() => null);
    if (token) this.tell('auth:renew', { token });
  }

  private report(): void {
    const now = this.state;
    if (now.status === this.last.status && now.via === this.last.via) return;
    this.last = now;
    if (now.status === 'live') this.ackMs = shortestAckMs;
    this.handlers.state(now);
  }
}

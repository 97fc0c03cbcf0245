import { signal } from '@preact/signals';
import type { ChannelEventMap, RestAnswer } from '../../../client/index.ts';
import type { Core } from './session.ts';

/** Why and until when the user may write nothing in a server. */
interface Timeout {
  /** In ms since 1970. */
  until: number;
  reason: string | null;
}

/** A timer waits no longer. */
const longestMs = 86_400_000;

type OwnServers = RestAnswer<'GET /api/servers'>;

/** What keeps the user from writing for a while: timeouts in servers, and slow mode in channels. */
export class Restraints {
  /** By server, those that are not over. */
  readonly timeouts = signal<ReadonlyMap<string, Timeout>>(new Map());
  /** By channel, when the user wrote there last, in ms since 1970: slow mode counts from then. */
  readonly wroteAt = signal<ReadonlyMap<string, number>>(new Map());
  private readonly core: Core;
  /** By channel, how long slow mode holds the user there by now, in seconds. */
  private readonly followed = new Map<string, () => number>();
  /** By server, stops waiting for the end of its timeout. */
  private readonly waiting = new Map<string, () => void>();

  constructor(core: Core) {
    this.core = core;
    core.client.on('member:timed-out', ({ serverId, userId, until, reason }) => {
      if (userId === core.me.peek()?.id) this.set(serverId, until, reason);
    });
    core.client.on('failed', ({ pending, error }) => {
      if (error.code === 'SLOW_MODE') this.refused(pending.channelId, error.retryAfter ?? 1);
    });
  }

  /** Takes what the list of the user's servers says of them. */
  report(own: OwnServers): void {
    for (const { member } of own) {
      if (member.serverId) this.set(member.serverId, member.timedOutUntil ?? null, member.timeoutReason ?? null);
    }
  }

  /** Notices the user's own messages in a channel. @param secondsOf how long slow mode holds the user there by now */
  follow(channelId: string, secondsOf: () => number): void {
    if (this.followed.has(channelId)) return;
    this.followed.set(channelId, secondsOf);
    const said = ({ authorId, createdAt }: Pick<ChannelEventMap['message:new'], 'authorId' | 'createdAt'>): void => {
      if (authorId === this.core.me.peek()?.id) this.wrote(channelId, Date.parse(createdAt));
    };
    const channel = this.core.client.channel(channelId);
    channel.listen('message:new', said);
    channel.listen('sent', ({ message }) => said(message));
  }

  /** A refusal says how long is left, and so when the user wrote last. */
  private refused(channelId: string, left: number): void {
    const seconds = this.followed.get(channelId)?.() ?? left;
    this.wrote(channelId, Date.now() + (left - seconds) * 1000);
  }

  /** Events may come late, after a break; the clock of the server may be ahead of this one. */
  private wrote(channelId: string, at: number): void {
    const last = this.wroteAt.peek().get(channelId) ?? 0;
    this.wroteAt.value = new Map(this.wroteAt.peek()).set(channelId, Math.max(last, Math.min(at, Date.now())));
  }

  private set(serverId: string, until: string | null, reason: string | null): void {
    const timeouts = new Map(this.timeouts.peek());
    this.waiting.get(serverId)?.();
    this.waiting.delete(serverId);
    const left = until === null ? 0 : Date.parse(until) - Date.now();
    if (until === null || left <= 0) timeouts.delete(serverId);
    else {
      timeouts.set(serverId, { until: Date.parse(until), reason });
      // Nobody tells of the end. Timers wait 24 days at most, timeouts last up to 28.
      const again = () => this.set(serverId, until, reason);
      this.waiting.set(serverId, this.core.scope.after(Math.min(left, longestMs), again));
    }
    this.timeouts.value = timeouts;
  }
}

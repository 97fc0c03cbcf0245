import { signal } from '@preact/signals';
import type { ChannelEventMap, CustomStatus, CustomStatusOf } from '../../../client/index.ts';
import type { Core } from './session.ts';

const ownStatuses = ['online', 'idle', 'dnd', 'offline'] as const;
export type OwnStatus = (typeof ownStatuses)[number];

export interface UserStatus {
  userId: string;
  status: string;
}

/** How many users one call may subscribe to. */
const maxPerCall = 200;
/**
 * How many are asked for besides friends and DM partners; the latest are kept. The server keeps 1000, and one of them
 * counts there once for each common server.
 */
const maxAsked = 400;
/** People come into view together: this long after the first of them all are asked for at once. */
const gatherMs = 100;
/** Snapshots come shortly after their channels are live. */
const snapshotMs = 2000;

/** Who is there: in small places everyone, in large servers those who matter and those in view. */
export class Presence {
  /** The statuses of users, as last reported. */
  readonly statuses = signal<ReadonlyMap<string, string>>(new Map());
  /** What people say of themselves, by user. */
  readonly said = signal<ReadonlyMap<string, CustomStatus>>(new Map());
  /** How many members of large servers are online, by server. */
  readonly online = signal<ReadonlyMap<string, number>>(new Map());
  private readonly core: Core;
  private readonly watched = new Set<string>();
  /** User → how many elements on the page show them. */
  private readonly inView = new Map<string, number>();
  /** Those whose status was reported on this connection. */
  private current = new Set<string>();
  /** Those whose changes are sent on this connection. */
  private followed = new Set<string>();
  /** Of these those who were asked for since they were in view, the latest last. */
  private asked = new Set<string>();
  /** Channel → those whom its snapshots listed. */
  private readonly listed = new Map<string, ReadonlySet<string>>();
  private cancelCheck = () => {};
  private cancelAsking: (() => void) | null = null;

  constructor(core: Core) {
    this.core = core;
    core.client.on('presence:change', ({ changes }) => this.report(changes));
    core.client.on('presence:custom-status', ({ userId, customStatus }) => this.reportSaid(userId, customStatus));
    core.client.on('presence:count', ({ serverId, online }) => this.reportOnline(serverId, online));
    core.client.on('state', ({ status, via }) => {
      if (via !== 'socket') this.forgetConnection();
      this.cancelCheck();
      if (status !== 'live') return;
      void this.subscribe();
      if (via === 'socket') this.cancelCheck = core.scope.after(snapshotMs, () => this.checkUnreported());
    });
  }

  /** Takes statuses that the server has reported. */
  report(people: readonly UserStatus[]): void {
    const now = new Map(this.statuses.peek());
    for (const { userId, status } of people) {
      now.set(userId, status);
      this.current.add(userId);
    }
    this.statuses.value = now;
  }

  /** Takes what someone says of themselves; null: nothing. */
  reportSaid(userId: string, status: CustomStatus | null): void {
    this.reportAll([userId], status ? [{ userId, ...status }] : []);
  }

  /** Takes what some people say of themselves, the others of them nothing. The server tells when one ends. */
  private reportAll(userIds: Iterable<string>, all: readonly CustomStatusOf[]): void {
    const now = new Map(this.said.peek());
    for (const id of userIds) now.delete(id);
    for (const { userId, emoji, text, until } of all) now.set(userId, { emoji, text, until });
    this.said.value = now;
  }

  /** Takes a channel's snapshot, which replaces what was known of those whom it covers. */
  reportChannel(snapshot: ChannelEventMap['presence:snapshot']): void {
    const { channelId, members, covers, serverId, online } = snapshot;
    const before = this.listed.get(channelId) ?? new Set<string>();
    const now = new Set(members.map(({ userId }) => userId));
    this.listed.set(channelId, now);
    // Who was reported on this connection too has changed since this snapshot, or is in another channel.
    const gone = [...before].filter((userId) => !now.has(userId) && !this.current.has(userId));
    this.report(members);
    this.reportAll(now, snapshot.customStatuses ?? []);
    for (const userId of now) this.followed.add(userId);
    if (covers === 'channel') this.report(gone.map((userId) => ({ userId, status: 'offline' })));
    if (serverId !== undefined && online !== undefined) this.reportOnline(serverId, online);
  }

  /** Subscribes to users who share no channel, such as friends, and to oneself. */
  watch(userIds: readonly string[]): void {
    for (const id of userIds) this.watched.add(id);
    void this.subscribe();
  }

  /** Keeps a user's status up to date while an element shows it. @returns to be called when it no longer does */
  show(userId: string): () => void {
    this.inView.set(userId, (this.inView.get(userId) ?? 0) + 1);
    this.askSoon();
    return () => {
      const count = (this.inView.get(userId) ?? 1) - 1;
      if (count > 0) this.inView.set(userId, count);
      else this.inView.delete(userId);
    };
  }

  /** The user's own status, on all devices. */
  async setOwn(status: OwnStatus): Promise<void> {
    await this.core.client.setPresence(status);
    const { value } = this.core.me;
    if (value) this.report([{ userId: value.id, status }]);
  }

  private reportOnline(serverId: string, online: number): void {
    this.online.value = new Map(this.online.peek()).set(serverId, online);
  }

  /** A new connection has no subscriptions of an earlier one. */
  private forgetConnection(): void {
    this.current = new Set();
    this.followed = new Set();
    this.asked = new Set();
  }

  private async subscribe(): Promise<void> {
    const all = [...this.watched];
    const { followed } = this;
    if (await this.ask(all)) for (const id of all) followed.add(id);
  }

  /** @returns whether there was an answer */
  private async ask(userIds: readonly string[]): Promise<boolean> {
    const { client } = this.core;
    for (let at = 0; at < userIds.length; at += maxPerCall) {
      if (client.state.via !== 'socket') return false;
      // Without an answer there is no connection, and the next one asks again.
      const answer = await client.watchPresence(userIds.slice(at, at + maxPerCall)).catch(() => null);
      if (!answer) return false;
      this.report(answer);
      const said = answer.flatMap(({ userId, customStatus }) => (customStatus ? { userId, ...customStatus } : []));
      this.reportAll(
        answer.map(({ userId }) => userId),
        said,
      );
    }
    return true;
  }

  private askSoon(): void {
    if (this.cancelAsking || this.inView.size === 0) return;
    this.cancelAsking = this.core.scope.after(gatherMs, () => {
      this.cancelAsking = null;
      void this.askForView();
    });
  }

  /** Asks for those in view whose changes are not sent yet: those whom no snapshot listed. */
  private async askForView(): Promise<void> {
    const { status, via } = this.core.client.state;
    if (status !== 'live' || via !== 'socket') return;
    const missing = [...this.inView.keys()].filter((id) => !this.followed.has(id)).slice(-maxAsked);
    if (missing.length === 0) return;
    const followed = this.followed;
    const asked = this.asked;
    for (const id of missing) {
      followed.add(id);
      asked.add(id);
    }
    for (const id of [...asked].slice(0, Math.max(0, asked.size - maxAsked))) {
      asked.delete(id);
      followed.delete(id);
    }
    const isAnswered = await this.ask(missing);
    if (!isAnswered) for (const id of missing) followed.delete(id);
    // Who is left out of the answers shares nothing with the user.
    else this.report(missing.filter((id) => !this.current.has(id)).map((userId) => ({ userId, status: 'offline' })));
  }

  /**
   * Forgets statuses of earlier connections that nothing was reported of on this one: their users may have left
   * meanwhile. Who is in view, or comes into view, is asked for.
   */
  private checkUnreported(): void {
    const now = new Map(this.statuses.peek());
    for (const userId of now.keys()) if (!this.current.has(userId) && !this.inView.has(userId)) now.delete(userId);
    this.statuses.value = now;
    this.askSoon();
  }
}

import { signal } from '@preact/signals';
import type { Core } from './session.ts';

const ownStatuses = ['online', 'idle', 'dnd', 'offline'] as const;
export type OwnStatus = (typeof ownStatuses)[number];

export interface UserStatus {
  userId: string;
  status: string;
}

/** How many users one call may subscribe to. */
const maxPerCall = 200;
/** How many are asked about again after a reconnect. */
const maxUnreported = 1000;
/** Snapshots come shortly after their channels are live. */
const snapshotMs = 2000;

/** Who is there. */
export class Presence {
  /** The statuses of users, as last reported. */
  readonly statuses = signal<ReadonlyMap<string, string>>(new Map());
  private readonly core: Core;
  private readonly watched = new Set<string>();
  /** Those whose status was reported on this connection. */
  private current = new Set<string>();
  /** Channel → those whom its snapshots listed. */
  private readonly listed = new Map<string, ReadonlySet<string>>();
  private cancelCheck = () => {};

  constructor(core: Core) {
    this.core = core;
    core.client.on('presence:change', ({ changes }) => this.report(changes));
    core.client.on('state', ({ status, via }) => {
      if (via !== 'socket') this.current = new Set();
      this.cancelCheck();
      if (status !== 'live') return;
      void this.subscribe();
      if (via === 'socket') this.cancelCheck = core.scope.after(snapshotMs, () => void this.checkUnreported());
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

  /** Takes a channel's snapshot, which replaces what was known of those whom it covers. */
  reportChannel(snapshot: { channelId: string; members: readonly UserStatus[]; covers?: string }): void {
    const { channelId, members, covers } = snapshot;
    const before = this.listed.get(channelId) ?? new Set<string>();
    const now = new Set(members.map(({ userId }) => userId));
    this.listed.set(channelId, now);
    // Who was reported on this connection too has changed since this snapshot, or is in another channel.
    const gone = [...before].filter((userId) => !now.has(userId) && !this.current.has(userId));
    this.report(members);
    if (covers === 'channel') this.report(gone.map((userId) => ({ userId, status: 'offline' })));
  }

  /** Subscribes to users who share no channel, such as friends, and to oneself. */
  watch(userIds: readonly string[]): void {
    for (const id of userIds) this.watched.add(id);
    void this.subscribe();
  }

  /** The user's own status, on all devices. */
  async setOwn(status: OwnStatus): Promise<void> {
    await this.core.client.setPresence(status);
    const { value } = this.core.me;
    if (value) this.report([{ userId: value.id, status }]);
  }

  /** A new connection has no subscriptions of an earlier one. */
  private async subscribe(): Promise<void> {
    const { client } = this.core;
    if (client.state.via !== 'socket') return;
    const all = [...this.watched];
    for (let at = 0; at < all.length; at += maxPerCall) {
      // Without an answer there is no connection, and the next one asks again.
      await client.watchPresence(all.slice(at, at + maxPerCall)).then(
        (statuses) => this.report(statuses),
        () => {},
      );
    }
  }

  /**
   * Asks about those of whom nothing was reported on this connection: they are in no snapshot, and may have left while there
   * was none. It comes before the others, since the server keeps a limited number of subscriptions, the latest.
   */
  private async checkUnreported(): Promise<void> {
    const isUnreported = ([userId, status]: [string, string]) => status !== 'offline' && !this.current.has(userId);
    const unreported = [...this.statuses.peek()].filter(isUnreported).map(([userId]) => userId);
    for (let at = 0; at < Math.min(unreported.length, maxUnreported); at += maxPerCall) {
      const asked = unreported.slice(at, at + maxPerCall);
      const known = await this.core.client.watchPresence(asked).catch(() => null);
      if (!known) return;
      this.report([...asked.map((userId) => ({ userId, status: 'offline' })), ...known]);
    }
    if (unreported.length > 0) await this.subscribe();
  }
}

import { signal } from '@preact/signals';
import type { Core } from './session.ts';

type Positions = ReadonlyMap<string, number>;

/** How far others have read, where both sides show it. */
export class Receipts {
  /** Whether the user sends receipts; null: not known yet. */
  readonly sends = signal<boolean | null>(null);
  /** Channel → user → number of the last message that they have read. */
  private readonly positions = signal<ReadonlyMap<string, Positions>>(new Map());
  /** Names of people who send receipts. */
  private readonly names = signal<ReadonlyMap<string, string>>(new Map());
  private readonly core: Core;
  /** The channel that was opened last. */
  private opened: string | null = null;

  constructor(core: Core) {
    this.core = core;
    core.client.on('channel:receipts', ({ channelId, receipts }) => {
      const now = new Map(this.of(channelId));
      for (const { userId, lastReadSeq } of receipts) {
        if (lastReadSeq === null) now.delete(userId);
        else now.set(userId, Math.max(lastReadSeq, now.get(userId) ?? 0));
      }
      this.keep(channelId, now);
      void this.loadNames(channelId, now);
    });
    core.client.on('state', ({ status }) => {
      // What came meanwhile is in no log.
      if (status === 'live' && this.opened !== null) void this.load(this.opened).catch(() => {});
    });
    core.client.on('receipts:choice', ({ sendsReceipts }) => this.chosen(sendsReceipts));
  }

  /** For reading: those known of a channel. */
  of(channelId: string): Positions {
    return this.positions.value.get(channelId) ?? new Map();
  }

  nameOf(userId: string): string | undefined {
    return this.names.value.get(userId);
  }

  async loadChoice(): Promise<void> {
    this.sends.value = (await this.core.client.rest('GET /api/read-receipts')).sendsReceipts;
  }

  async choose(sendsReceipts: boolean): Promise<void> {
    await this.core.client.rest('PUT /api/read-receipts', { body: { sendsReceipts } });
    this.chosen(sendsReceipts);
  }

  /** Those of a channel that was opened, or after a break. */
  async load(channelId: string): Promise<void> {
    this.opened = channelId;
    const { receipts } = await this.core.client.rest('GET /api/channels/:id/receipts', { id: channelId });
    const now = new Map(receipts.map(({ userId, lastReadSeq }) => [userId, lastReadSeq]));
    this.keep(channelId, now);
    await this.loadNames(channelId, now);
  }

  private chosen(sendsReceipts: boolean): void {
    this.sends.value = sendsReceipts;
    if (!sendsReceipts) this.positions.value = new Map();
  }

  private keep(channelId: string, positions: Positions): void {
    this.positions.value = new Map(this.positions.peek()).set(channelId, positions);
  }

  /** Those who never wrote here are not named by any message. */
  private async loadNames(channelId: string, positions: Positions): Promise<void> {
    if ([...positions.keys()].every((userId) => this.names.peek().has(userId))) return;
    const members = await this.core.client.rest('GET /api/channels/:id/members', { id: channelId }).catch(() => []);
    const now = new Map(this.names.peek());
    for (const { userId, user } of members) now.set(userId, user.displayName);
    this.names.value = now;
  }
}

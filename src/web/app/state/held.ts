import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import type { Core } from './session.ts';

export type HeldMessage = RestAnswer<'GET /api/channels/:id/held'>[number];

/** The user's own messages that wait for a moderator, or were rejected. */
export class Held {
  private readonly list = signal<readonly HeldMessage[]>([]);
  private readonly core: Core;
  private changes = 0;

  constructor(core: Core) {
    this.core = core;
    const isOwn = ({ authorId }: HeldMessage) => authorId === core.me.peek()?.id;
    core.client.on('held:created', ({ held }) => {
      if (isOwn(held)) this.put(held);
    });
    core.client.on('held:decided', ({ held }) => {
      if (isOwn(held)) this.put(held);
    });
    // Without a socket no event tells of it.
    core.client.on('failed', ({ pending, error }) => {
      if (error.code === 'MESSAGE_HELD') void this.load(pending.channelId).catch(() => {});
    });
  }

  /** Those of a channel, or of one of its threads. */
  of(channelId: string, threadId: string | null): ReadonlySignal<readonly HeldMessage[]> {
    return computed(() => this.list.value.filter((held) => held.channelId === channelId && held.threadId === threadId));
  }

  async load(channelId: string): Promise<void> {
    const before = this.changes;
    const found = await this.core.client.rest('GET /api/channels/:id/held', { id: channelId });
    // An event that came meanwhile is newer.
    if (before !== this.changes) return this.load(channelId);
    this.list.value = [...this.list.peek().filter((held) => held.channelId !== channelId), ...found];
  }

  /** Takes one back, or forgets a rejected one. */
  async withdraw({ heldId, channelId }: HeldMessage): Promise<void> {
    await this.core.client.rest('DELETE /api/held/:id', { id: heldId });
    await this.load(channelId);
  }

  private put(held: HeldMessage): void {
    this.changes++;
    const others = this.list.peek().filter(({ heldId }) => heldId !== held.heldId);
    const isShown = held.status === 'waiting' || held.status === 'rejected';
    this.list.value = isShown ? [...others, held].sort((a, b) => (a.heldId < b.heldId ? -1 : 1)) : others;
  }
}

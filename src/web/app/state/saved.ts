import { signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import type { Core } from './session.ts';

export type SavedItem = RestAnswer<'GET /api/channels/:channelId/saved'>[number];

/** Which messages of the channels that were opened the user saved for later, by the ids of the messages. */
export class Saved {
  private readonly items = signal<ReadonlyMap<string, SavedItem>>(new Map());
  private readonly core: Core;
  private changes = 0;

  constructor(core: Core) {
    this.core = core;
    core.client.on('later:updated', ({ item }) => {
      this.changes++;
      this.change((items) => {
        if (item.messageId === null) return;
        if (item.isDone) items.delete(item.messageId);
        else items.set(item.messageId, item);
      });
    });
    core.client.on('later:removed', ({ messageId }) => {
      this.changes++;
      this.change((items) => messageId !== null && items.delete(messageId));
    });
  }

  of(messageId: string): SavedItem | undefined {
    return this.items.value.get(messageId);
  }

  /** Reads what is saved in a channel, as it is opened. */
  async loadChannel(channelId: string): Promise<void> {
    const before = this.changes;
    const found = await this.core.client.rest('GET /api/channels/:channelId/saved', { channelId });
    // An event that came meanwhile is newer.
    if (before !== this.changes) return this.loadChannel(channelId);
    const isNone = ![...this.items.peek().values()].some((item) => item.channelId === channelId);
    // Most save nothing: then no message has to look.
    if (isNone && found.length === 0) return;
    this.change((items) => {
      for (const [messageId, item] of items) if (item.channelId === channelId) items.delete(messageId);
      for (const item of found) if (item.messageId !== null) items.set(item.messageId, item);
    });
  }

  private change(work: (items: Map<string, SavedItem>) => void): void {
    const items = new Map(this.items.peek());
    work(items);
    this.items.value = items;
  }
}

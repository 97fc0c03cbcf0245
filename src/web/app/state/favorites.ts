import { signal } from '@preact/signals';
import { ParleyError } from '../../../client/index.ts';
import { LatestAnswer } from './latest-answer.ts';
import type { Core } from './session.ts';

/** Channels and conversations that the user keeps at the top, on all devices. */
export class Favorites {
  /** In the user's order. */
  readonly ids = signal<readonly string[]>([]);
  private readonly core: Core;
  private readonly latest = new LatestAnswer();

  constructor(core: Core) {
    this.core = core;
    core.client.on('favorites:updated', ({ channelIds }) => this.show(channelIds));
  }

  async load(): Promise<void> {
    await this.latest.read(
      () => this.core.client.rest('GET /api/favorites').catch(unlessRefused),
      ({ channelIds }) => {
        this.ids.value = channelIds;
      },
    );
  }

  has(channelId: string): boolean {
    return this.ids.value.includes(channelId);
  }

  /** Shown at once; taken back if the server refuses. */
  async set(id: string, isFavorite: boolean): Promise<void> {
    const others = this.ids.peek().filter((other) => other !== id);
    const { client } = this.core;
    await this.shown(isFavorite ? [...others, id] : others, () =>
      isFavorite
        ? client.rest('PUT /api/channels/:id/favorite', { id })
        : client.rest('DELETE /api/channels/:id/favorite', { id }),
    );
  }

  /** Puts one before another, or at the end; it becomes a favourite if it is none. */
  async place(id: string, before: string | null): Promise<void> {
    if (!this.ids.peek().includes(id)) await this.set(id, true);
    const ids = this.ids.peek().filter((other) => other !== id);
    const at = before === null ? -1 : ids.indexOf(before);
    ids.splice(at < 0 ? ids.length : at, 0, id);
    const body = { channelIds: ids };
    await this.shown(ids, () => this.core.client.rest('PATCH /api/favorites/positions', { body }));
  }

  private async shown(ids: readonly string[], send: () => Promise<{ channelIds: string[] }>): Promise<void> {
    const before = this.ids.peek();
    this.show(ids);
    try {
      this.show((await send()).channelIds);
    } catch (error) {
      this.show(before);
      throw error;
    }
  }

  private show(ids: readonly string[]): void {
    this.latest.changed();
    this.ids.value = ids;
  }
}

/** A server of an earlier version keeps none. */
function unlessRefused(error: unknown): { channelIds: string[] } {
  if (error instanceof ParleyError && !error.isPassing) return { channelIds: [] };
  throw error;
}

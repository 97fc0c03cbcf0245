import { signal } from '@preact/signals';
import { type ChannelRecord, ParleyError, type RestAnswer, type ServerRecord } from '../../../client/index.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';

export type CategoryRecord = RestAnswer<'GET /api/servers/:serverId/categories'>[number];

/** A part of a server's list of channels, under a heading. */
export interface Section {
  /** By which it is remembered that it is folded. */
  key: string;
  kind: 'favorites' | 'channels' | 'category';
  category: CategoryRecord | null;
  channels: ChannelRecord[];
}

/** The categories of servers that were visited, and which parts of lists are folded on this device. */
export class Categories {
  /** By server, in their order. */
  readonly lists = signal<ReadonlyMap<string, readonly CategoryRecord[]>>(new Map());
  /** Keys of the parts that are folded. */
  readonly folded: { readonly value: ReadonlySet<string> };
  private readonly core: Core;
  private readonly keys;

  constructor(core: Core) {
    this.core = core;
    this.keys = signal(new Set(core.scope.local.getItem(keptKeys.folded)?.split(' ')));
    this.folded = this.keys;
    core.scope.onStored((key, value) => {
      if (key === keptKeys.folded) this.keys.value = new Set(value?.split(' '));
    });
  }

  /** @param servers that are known: where a record says that there were never any, nobody is asked */
  async read(serverId: string, servers: readonly ServerRecord[] = []): Promise<readonly CategoryRecord[]> {
    if (servers.find(({ id }) => id === serverId)?.categoriesVersion === 0) return [];
    try {
      return await this.core.client.rest('GET /api/servers/:serverId/categories', { serverId });
    } catch (error) {
      // Outsiders of a public server see none, and a node of an older version knows none.
      if (error instanceof ParleyError && !error.isPassing) return [];
      throw error;
    }
  }

  show(serverId: string, list: readonly CategoryRecord[]): void {
    this.lists.value = new Map(this.lists.peek()).set(serverId, list);
  }

  of(serverId: string): readonly CategoryRecord[] {
    return this.lists.value.get(serverId) ?? [];
  }

  fold(key: string, isFolded: boolean): void {
    const keys = new Set(this.keys.peek());
    if (isFolded) keys.add(key);
    else keys.delete(key);
    this.keys.value = keys;
    if (keys.size > 0) this.core.scope.local.setItem(keptKeys.folded, [...keys].join(' '));
    else this.core.scope.local.removeItem(keptKeys.folded);
  }
}

interface Listed {
  serverId: string;
  channels: readonly ChannelRecord[];
  categories: readonly CategoryRecord[];
  /** Ids of channels, in the user's order. */
  favorites: readonly string[];
}

/**
 * The channels of a server in parts: favourites, those in no category, then category by category. A channel is in one of them.
 * One in a category that is not known stands where those in none do.
 */
export function sectionsOf({ serverId, channels, categories, favorites }: Listed): Section[] {
  const chosen = new Set(favorites);
  const others = channels.filter(({ id }) => !chosen.has(id));
  const known = new Set(categories.map(({ id }) => id));
  const first = favorites.flatMap((id) => channels.find((channel) => channel.id === id) ?? []);
  const isLoose = ({ categoryId }: ChannelRecord) => !categoryId || !known.has(categoryId);
  return [
    { key: `favorites:${serverId}`, kind: 'favorites', category: null, channels: first },
    { key: `channels:${serverId}`, kind: 'channels', category: null, channels: others.filter(isLoose) },
    ...categories.map((category): Section => {
      const inside = others.filter(({ categoryId }) => categoryId === category.id);
      return { key: category.id, kind: 'category', category, channels: inside };
    }),
  ];
}

import { computed, signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import { LatestAnswer } from './latest-answer.ts';
import type { Servers } from './servers.ts';
import type { Core } from './session.ts';

export type OwnEmoji = RestAnswer<'GET /api/servers/:id/emoji'>[number];

/** The emoji of servers' own. Only those of the present server stand for their names. */
export class OwnEmojis {
  private readonly core: Core;
  private readonly lists = signal<ReadonlyMap<string, readonly OwnEmoji[]>>(new Map());
  private readonly latest = new Map<string, LatestAnswer>();
  /** Those of the present server, by their names. */
  readonly here;
  private readonly byName;
  private readonly byId;

  constructor(core: Core, servers: Pick<Servers, 'current'>) {
    this.core = core;
    this.here = computed(() => this.lists.value.get(servers.current.value?.id ?? '') ?? []);
    this.byName = computed(() => new Map(this.here.value.map((emoji) => [emoji.name, emoji])));
    this.byId = computed(() => new Map(this.here.value.map((emoji) => [emoji.id, emoji])));
  }

  named(name: string): OwnEmoji | undefined {
    return this.byName.value.get(name);
  }

  withId(id: string | undefined): OwnEmoji | undefined {
    return id === undefined ? undefined : this.byId.value.get(id);
  }

  /** Those whose names contain a text, the names that begin with it first. */
  like(text: string): OwnEmoji[] {
    const holding = this.here.value.filter(({ name }) => name.includes(text));
    return holding.sort((a, b) => Number(b.name.startsWith(text)) - Number(a.name.startsWith(text)));
  }

  of(serverId: string): readonly OwnEmoji[] {
    return this.lists.value.get(serverId) ?? [];
  }

  /** Reads the emoji of a server. */
  async load(serverId: string): Promise<void> {
    const latest = this.latest.get(serverId) ?? new LatestAnswer();
    this.latest.set(serverId, latest);
    await latest.read(
      () => this.core.client.rest('GET /api/servers/:id/emoji', { id: serverId }),
      (list) => {
        this.lists.value = new Map(this.lists.peek()).set(serverId, list);
      },
    );
  }
}

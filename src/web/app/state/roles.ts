import { signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import { LatestAnswer } from './latest-answer.ts';
import type { Core } from './session.ts';

export type RoleRecord = RestAnswer<'GET /api/servers/:id/roles'>[number];
type OwnServers = RestAnswer<'GET /api/servers'>;

/** Who has which of a server's own roles. */
interface Holding {
  serverId: string | null;
  userId: string;
  roles: readonly string[];
}

/** The roles of servers, and which of them the user has. */
export class Roles {
  /** By server, the highest first; of those whose roles were shown. */
  readonly lists = signal<ReadonlyMap<string, readonly RoleRecord[]>>(new Map());
  /** By server, ids of the server's own roles that the user has. */
  readonly own = signal<ReadonlyMap<string, readonly string[]>>(new Map());
  private readonly core: Core;
  private readonly latest = new Map<string, LatestAnswer>();

  constructor(core: Core) {
    this.core = core;
  }

  /** Takes what the list of the user's servers says of them. */
  report(own: OwnServers): void {
    for (const { member } of own) this.note(member);
  }

  /** Takes what is known of a member, if that is the user. @returns whether they have other roles now */
  note({ serverId, userId, roles }: Holding): boolean {
    if (!serverId || userId !== this.core.me.peek()?.id) return false;
    const before = this.own.peek().get(serverId);
    this.own.value = new Map(this.own.peek()).set(serverId, roles);
    return before !== undefined && [...before].sort().join() !== [...roles].sort().join();
  }

  /** Reads the roles of a server. */
  async load(serverId: string): Promise<void> {
    const latest = this.latest.get(serverId) ?? new LatestAnswer();
    this.latest.set(serverId, latest);
    await latest.read(
      () => this.core.client.rest('GET /api/servers/:id/roles', { id: serverId }),
      (list) => {
        this.lists.value = new Map(this.lists.peek()).set(serverId, list);
      },
    );
  }
}

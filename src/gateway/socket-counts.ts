import { AppError } from '../contract/errors.ts';
import type { Networks } from '../infrastructure/client-address.ts';
import type { Settings } from '../settings/settings.ts';
import type { ParleySocket } from './socket.ts';

/** A connection that was let in. */
interface Counted {
  keys: string[];
  conn: ParleySocket['conn'];
  /** Socket.IO's private id of the session, which its client names when it returns. */
  pid: unknown;
  /** When it last answered a ping, or began; as `performance.now()` has it. */
  heardAt: number;
}

interface Limit {
  key: string;
  max: number;
  kind: 'person' | 'address';
}

/** How much later than the pings the answer of a connection may come that is well. */
const answerMs = 3000;
/** Clients that return are known to have been here: a break of many lines at once must not shut any of them out. */
const returningFactor = 2;

const sentences = {
  person: 'You have too many connections open; close some of them.',
  address: 'There are too many connections from your address; close some of them.',
};

/**
 * Bounds how many sockets of a node a person (or bot) and an address have, once it is known whose they are (contract §9). Those
 * that are there stay. A connection that is overdue with its answer to a ping has probably been cut off, and does not count
 * against its own client that is back.
 */
export class SocketCounts {
  /** Sockets that were refused, by what they were too many of. */
  readonly refused = { person: 0, address: 0 };
  private readonly settings: Pick<Settings, 'limits' | 'rateLimits' | 'sockets'>;
  private readonly byKey = new Map<string, Set<Counted>>();
  private readonly byConnection = new WeakMap<object, Counted>();

  constructor(settings: SocketCounts['settings']) {
    this.settings = settings;
  }

  /**
   * Counts a socket until its connection ends.
   * @param isRecovered whether it continues a session that was saved when its connection was lost
   * @throws AppError RATE_LIMITED
   */
  enter(socket: ParleySocket, userId: string, networks: Networks, isRecovered: boolean): void {
    const { conn } = socket;
    // Asked again for the same connection, say because the database did not answer: it is counted for its last user.
    this.leave(conn);
    if (!this.settings.rateLimits) return;
    const limits = this.limitsOf(userId, networks);
    const before = this.predecessor(socket, limits);
    const factor = isRecovered || before ? returningFactor : 1;
    for (const { key, max, kind } of limits) {
      if (this.count(key, max * factor, before) < max * factor) continue;
      this.refused[kind]++;
      throw new AppError('RATE_LIMITED', { message: sentences[kind], retryAfter: 5 });
    }
    // Its client has given it up.
    before?.conn.close(true);
    const pid: unknown = Reflect.get(socket, 'pid');
    this.add({ keys: limits.map(({ key }) => key), conn, pid, heardAt: performance.now() });
  }

  private limitsOf(userId: string, { own, site }: Networks): Limit[] {
    const { socketsPerUser, socketsPerAddress, ipv6SiteFactor } = this.settings.limits;
    const ofSite: Limit[] =
      site === null ? [] : [{ key: site, max: socketsPerAddress * ipv6SiteFactor, kind: 'address' }];
    return [
      { key: userId, max: socketsPerUser, kind: 'person' },
      { key: own, max: socketsPerAddress, kind: 'address' },
      ...ofSite,
    ];
  }

  /** The same person's earlier connection that the client of this one has given up. */
  private predecessor({ handshake }: ParleySocket, [ofPerson]: Limit[]): Counted | undefined {
    const { pid } = handshake.auth;
    if (typeof pid !== 'string') return undefined;
    return [...(this.byKey.get(ofPerson?.key ?? '') ?? [])].find((one) => one.pid === pid);
  }

  /** Looks at each of them only where there may be too many. */
  private count(key: string, max: number, before: Counted | undefined): number {
    const all = this.byKey.get(key) ?? new Set();
    if (all.size < max) return all.size;
    const overdue = performance.now() - this.settings.sockets.pingIntervalMs - answerMs;
    let count = 0;
    for (const one of all) if (one !== before && one.heardAt > overdue) count++;
    return count;
  }

  private add(counted: Counted): void {
    for (const key of counted.keys) {
      const all = this.byKey.get(key);
      if (all) all.add(counted);
      else this.byKey.set(key, new Set([counted]));
    }
    const { conn } = counted;
    if (!this.byConnection.has(conn)) {
      conn.on('heartbeat', () => {
        const known = this.byConnection.get(conn);
        if (known) known.heardAt = performance.now();
      });
      conn.once('close', () => this.leave(conn));
    }
    this.byConnection.set(conn, counted);
  }

  private leave(conn: object): void {
    const counted = this.byConnection.get(conn);
    if (!counted) return;
    for (const key of counted.keys) {
      const all = this.byKey.get(key);
      all?.delete(counted);
      if (all?.size === 0) this.byKey.delete(key);
    }
    counted.keys = [];
  }
}

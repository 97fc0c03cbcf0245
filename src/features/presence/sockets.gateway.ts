import { setImmediate as turn } from 'node:timers/promises';
import { presenceCount } from '../../contract/presence.ts';
import { crowdRoom } from '../../contract/rooms.ts';
import { readyEvent } from '../../gateway/encoder.ts';
import { directConnection, frames } from '../../gateway/frames.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { PresenceSink } from './broadcaster.ts';
import type { OnlineCounts } from './online-counts.ts';

/** To how many sockets an event is written in one turn of the event loop: some milliseconds. */
const perTurn = 200;

/** The sockets of this node, as recipients of presence. */
export class PresenceSockets implements PresenceSink {
  private readonly gateway: Gateway;

  constructor(gateway: Gateway) {
    this.gateway = gateway;
  }

  hasSockets(room: string): boolean {
    return this.gateway.hasSockets(room);
  }

  /** Writes it to a part of them in each turn: very many may follow someone. */
  async emitHere(rooms: string[], event: string, data: object, except: string[]): Promise<void> {
    const sockets = this.gateway.socketsIn(rooms, except);
    if (sockets.length === 0) return;
    const bytes = frames([readyEvent(event, JSON.stringify(data), null).text]);
    for (const [i, socket] of sockets.entries()) {
      if (i > 0 && i % perTurn === 0) await turn();
      // It may have lost the place meanwhile.
      if (!socket.connected || !rooms.some((room) => socket.rooms.has(room))) continue;
      const connection = directConnection(socket);
      if (connection) connection.write(bytes);
      else socket.emit(event, data);
    }
  }
}

/** Bots in a server's crowd whose policies let them see no members there: they are told no counts. It has no log. */
export const unshownRoom = (serverId: string): string => `unshown:${serverId}`;

/** Where many are told of a count, they are told less often: at most so many sockets a second. */
const toldPerSecond = 500;
const longestMs = 60_000;

/** What the sockets in a crowd were told. */
interface Told {
  /** Null: not all the same. */
  online: number | null;
  /** When they may be told again. */
  nextAt: number;
}

/** Tells the sockets in large servers how many are online: seldom, and only if that has changed (contract §9). */
export class CountBroadcaster {
  private readonly counts: OnlineCounts;
  private readonly countMs: number;
  private readonly told = new Map<string, Told>();
  private timer: NodeJS.Timeout | undefined;
  private running = false;

  constructor(counts: OnlineCounts, countMs: number) {
    this.counts = counts;
    this.countMs = countMs;
  }

  start(sockets: Pick<Gateway, 'socketsIn'>, sink: PresenceSink): void {
    this.timer = setInterval(() => {
      if (this.running) return;
      this.running = true;
      // What fails now is told the next time.
      this.emitChanged(sockets, sink)
        .catch(() => {})
        .finally(() => {
          this.running = false;
        });
    }, this.countMs).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** A socket in a server's crowd was shown this count. */
  shown(serverId: string, online: number): void {
    const told = this.told.get(serverId);
    if (!told) this.told.set(serverId, { online, nextAt: 0 });
    else if (told.online !== online) told.online = null;
  }

  private async emitChanged(sockets: Pick<Gateway, 'socketsIn'>, sink: PresenceSink): Promise<void> {
    this.counts.forgetUnused();
    for (const [serverId, told] of this.told) {
      const room = crowdRoom(serverId);
      if (!sink.hasSockets(room)) this.told.delete(serverId);
      else if (performance.now() >= told.nextAt) {
        const online = await this.counts.of(serverId);
        if (online === told.online) continue;
        const { length } = sockets.socketsIn([room], []);
        const pauseMs = Math.min(Math.max(this.countMs, (length / toldPerSecond) * 1000), longestMs);
        Object.assign(told, { online, nextAt: performance.now() + pauseMs });
        await sink.emitHere([room], presenceCount.name, { serverId, online }, [unshownRoom(serverId)]);
      }
    }
  }
}

import { Socket } from 'node:net';
import { Redis } from 'ioredis';
import type { RedisClient } from './redis-clients.ts';

const lookMs = 1000;
/** How many looks in a row may find that nothing came in. They are counted, and not time: this process may have stood still. */
const patience = 5;

/** What was seen of a connection. */
interface Seen {
  /** Bytes that have come in so far. */
  bytes: number;
  /** How many looks in a row found no more. */
  looks: number;
}

/**
 * Ends connections to Redis that answer nothing any more, so that new ones are made: the other end may have gone without
 * a word, by a failover or a firewall that forgot it, and TCP would go on trying for a quarter of an hour.
 */
export class SilentConnections {
  private readonly clients: RedisClient[];
  private readonly seen = new WeakMap<Socket, Seen>();
  private readonly timer: NodeJS.Timeout;

  constructor(clients: RedisClient[]) {
    this.clients = clients;
    this.timer = setInterval(() => this.look(), lookMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    for (const client of this.clients) {
      for (const connection of connectionsOf(client)) this.lookAt(connection);
    }
  }

  private lookAt(connection: Redis): void {
    const wire = wireOf(connection);
    if (!wire) return;
    const { bytes, looks } = this.seen.get(wire) ?? { bytes: -1, looks: 0 };
    const isSilent = wire.bytesRead === bytes;
    this.seen.set(wire, { bytes: wire.bytesRead, looks: isSilent ? looks + 1 : 0 });
    if (isSilent && looks + 1 >= patience) wire.destroy(new Error('Redis does not answer.'));
    // Until it is ready it is asked for its state anyway.
    else if (connection.status === 'ready') void connection.ping().catch(() => {});
  }
}

/** Of a cluster those that commands go by. */
const connectionsOf = (client: RedisClient): Redis[] => (client instanceof Redis ? [client] : client.nodes('all'));

/** ioredis has no public way to it. */
function wireOf(connection: Redis): Socket | undefined {
  if (connection.status !== 'ready' && connection.status !== 'connect') return undefined;
  const stream: unknown = Reflect.get(connection, 'stream');
  return stream instanceof Socket ? stream : undefined;
}

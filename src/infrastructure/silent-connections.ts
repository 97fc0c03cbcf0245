import { Socket } from 'node:net';
import { Redis } from 'ioredis';
import type { RedisClient } from './redis-clients.ts';
import { Silence } from './silence.ts';

const checkMs = 1000;
/** How many checks in a row may find that nothing was received. */
const patience = 5;

/** Closes the connections of a client without waiting for the peer; it opens new ones, and renews its subscriptions. */
export function leave(client: RedisClient, reason: string): void {
  for (const connection of connectionsOf(client)) wireOf(connection)?.destroy(new Error(reason));
}

/**
 * Closes connections to Redis that no longer answer, so that new ones are opened: the peer may be gone without
 * notice, after a failover or a firewall's timeout, and TCP would retry for a quarter of an hour.
 */
export class SilentConnections {
  private readonly clients: RedisClient[];
  private readonly seen = new WeakMap<Socket, Silence>();
  private readonly timer: NodeJS.Timeout;

  constructor(clients: RedisClient[]) {
    this.clients = clients;
    this.timer = setInterval(() => this.checkAll(), checkMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private checkAll(): void {
    for (const client of this.clients) {
      for (const connection of connectionsOf(client)) this.check(connection);
    }
  }

  private check(connection: Redis): void {
    const wire = wireOf(connection);
    if (!wire) return;
    const silence = this.seen.get(wire) ?? new Silence();
    this.seen.set(wire, silence);
    if (silence.check(wire) >= patience) wire.destroy(new Error('Redis does not answer.'));
    // Until it is ready, ioredis checks it anyway.
    else if (connection.status === 'ready') void connection.ping().catch(() => {});
  }
}

function connectionsOf(client: RedisClient): Redis[] {
  return client instanceof Redis ? [client] : [...client.nodes('all'), ...listenersOf(client)];
}

/**
 * The connections on which a cluster's client only subscribes: one to each server, and one for messages to all servers.
 * ioredis keeps them private.
 */
function listenersOf(cluster: RedisClient): Redis[] {
  const group: unknown = Reflect.get(cluster, 'shardedSubscribers');
  const sharded: unknown = group instanceof Object ? Reflect.get(group, 'shardedSubscribers') : undefined;
  const all: unknown[] = [Reflect.get(cluster, 'subscriber'), ...(sharded instanceof Map ? sharded.values() : [])];
  return all.flatMap((listener) => {
    const find: unknown = listener instanceof Object ? Reflect.get(listener, 'getInstance') : undefined;
    const found: unknown = typeof find === 'function' ? find.call(listener) : undefined;
    return found instanceof Redis ? [found] : [];
  });
}

/** ioredis has no public API for it. */
function wireOf(connection: Redis): Socket | undefined {
  if (connection.status !== 'ready' && connection.status !== 'connect') return undefined;
  const stream: unknown = Reflect.get(connection, 'stream');
  return stream instanceof Socket ? stream : undefined;
}

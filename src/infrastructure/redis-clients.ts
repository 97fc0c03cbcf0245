import { Cluster, type ClusterOptions, Redis, type RedisOptions, type StandaloneConnectionOptions } from 'ioredis';
import { StandaloneConnector } from 'ioredis/built/connectors/index.js';
import type { Sentinels } from '../settings/redis-settings.ts';

/** A client of a single Redis or of a cluster. */
export type RedisClient = Redis | Cluster;

/** This deployment's part of a Redis. */
export interface RedisPlace {
  url: string;
  /** Whether the URL names one node of a cluster; the others are discovered through it. */
  cluster: boolean;
  /** The Sentinels to ask for the primary at each connection; then the URL's host does not matter. */
  sentinels?: Sentinels | null;
  /** The prefix of all its names. */
  prefix: string;
}

/**
 * A connection whose publish and subscribe calls never reject: the Socket.IO adapter does not await them, and a lost
 * publish costs nothing here, since the log heals it. ioredis renews subscriptions on reconnect.
 */
class ForgivingRedis extends Redis {
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return followed(this, event, () => super.emit(event, ...args));
  }
  /** ioredis would continue with database 0, which may be another deployment's. */
  override select(...args: Parameters<Redis['select']>): Promise<'OK'> {
    return super.select(...args).catch((error) => {
      this.disconnect(true);
      throw error;
    });
  }
  override publish(...args: Parameters<Redis['publish']>): Promise<number> {
    return super.publish(...args).catch((error) => forgiven(this, error));
  }
  override subscribe(...args: unknown[]): Promise<unknown> {
    return Redis.prototype.subscribe.apply(this, args as never).catch((error) => forgiven(this, error));
  }
  override psubscribe(...args: unknown[]): Promise<unknown> {
    return Redis.prototype.psubscribe.apply(this, args as never).catch((error) => forgiven(this, error));
  }
}

/** The same for a cluster. */
class ForgivingCluster extends Cluster {
  private isClosed = false;

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return followed(this, event, () => super.emit(event, ...args));
  }
  override disconnect(reconnect = false): void {
    this.isClosed ||= !reconnect;
    super.disconnect(reconnect);
  }
  /** A refresh of the slots in progress during the close would start another one, for ever. */
  override refreshSlotsCache(done?: (error?: Error | null) => void): void {
    super.refreshSlotsCache(done && ((error) => (this.isClosed ? undefined : done(error))));
  }
  override publish(...args: Parameters<Cluster['publish']>): Promise<number> {
    return super.publish(...args).catch((error) => forgiven(this, error));
  }
  override subscribe(...args: unknown[]): Promise<unknown> {
    return Cluster.prototype.subscribe.apply(this, args as never).catch((error) => forgiven(this, error));
  }
  override psubscribe(...args: unknown[]): Promise<unknown> {
    return Cluster.prototype.psubscribe.apply(this, args as never).catch((error) => forgiven(this, error));
  }
}

/** A message on a channel that could not be processed. */
export class StrangeMessage extends Error {}

/**
 * Anyone with access to Redis can publish on its channels, and so do other versions: a message that cannot be processed
 * here is reported as an error of the connection, and must not end the process.
 */
function followed(client: RedisClient, event: string | symbol, emit: () => boolean): boolean {
  try {
    return emit();
  } catch (cause) {
    if (!String(event).includes('message')) throw cause;
    return client.emit('error', new StrangeMessage('A message on Redis could not be processed.', { cause }));
  }
}

/** Reports Redis's refusals as errors of the connection; calls that fail with a connection are repeated on the next. */
export function forgiven(client: RedisClient, error: unknown): number {
  if (isRefusal(error)) client.emit('error', error);
  return 0;
}

/** Whether Redis answered with a refusal (no rights, a wrong password) rather than not at all. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/**
 * Closes a connection without waiting for its peer. A node whose slots move notifies its subscribers; if that arrives
 * after ioredis has released the connection, it is an error without a listener, which ends the process.
 */
class AbruptConnector extends StandaloneConnector {
  constructor(options: unknown) {
    super(areOptions(options) ? options : {});
  }

  override disconnect(): void {
    this.connecting = false;
    this.stream?.destroy();
  }
}

/** ioredis types them as unknown. */
const areOptions = (options: unknown): options is StandaloneConnectionOptions =>
  typeof options === 'object' && options !== null;

const connectTimeout = 2000;
/** Subscribers get no notice when slots move: they have to look up where their channels are now. */
const slotsRefreshInterval = 2000;
const retryStrategy = (times: number) => Math.min(times * 50, 500);

/**
 * What commands do while it is not connected: `wait`, or `fail` at once. `once`: they fail, it connects on request, and
 * nothing is retried.
 */
export type WhileAway = 'wait' | 'fail' | 'once';

/** @param answerMs how long a response may take; undefined: any time */
export function redisClient(place: Omit<RedisPlace, 'prefix'>, whileAway: WhileAway, answerMs?: number): RedisClient {
  const { url, cluster, sentinels } = place;
  const common: RedisOptions = { connectTimeout, commandTimeout: answerMs, maxRetriesPerRequest: null };
  const enableOfflineQueue = whileAway === 'wait';
  const once: RedisOptions = { retryStrategy: () => null, sentinelRetryStrategy: () => null, lazyConnect: true };
  const again = { retryStrategy, sentinelRetryStrategy: retryStrategy };
  const single: RedisOptions = { ...common, enableOfflineQueue, ...(whileAway === 'once' ? once : again) };
  if (sentinels) return new ForgivingRedis({ ...single, ...throughSentinels(url, sentinels) });
  if (!cluster) return new ForgivingRedis(url, single);
  const options: ClusterOptions = {
    redisOptions: {
      ...common,
      ...credentialsOf(url),
      ...(whileAway === 'wait' ? { Connector: AbruptConnector } : {}),
    },
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue,
    shardedSubscribers: true,
    slotsRefreshTimeout: connectTimeout,
    slotsRefreshInterval,
  };
  return new ForgivingCluster([url], options);
}

/** With TLS, the connections to the Sentinels use it too. */
function throughSentinels(url: string, { hosts, name, username, password }: Sentinels): RedisOptions {
  const { pathname, protocol } = new URL(url);
  const db = Number(pathname.slice(1));
  return {
    ...credentialsOf(url),
    sentinels: hosts,
    name,
    db,
    sentinelCommandTimeout: connectTimeout,
    ...(username ? { sentinelUsername: username } : {}),
    ...(password ? { sentinelPassword: password } : {}),
    ...(protocol === 'rediss:' ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  };
}

/** The URL's options, for all servers of a cluster, and for the primary that Sentinels name. */
function credentialsOf(url: string): RedisOptions {
  const { username, password, protocol } = new URL(url);
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

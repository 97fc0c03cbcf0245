import { Cluster, type ClusterOptions, Redis, type RedisOptions, type StandaloneConnectionOptions } from 'ioredis';
import { StandaloneConnector } from 'ioredis/built/connectors/index.js';

/** A client of one Redis or of a cluster. */
export type RedisClient = Redis | Cluster;

/** What of a Redis is this deployment's. */
export interface RedisPlace {
  url: string;
  /** Whether the URL is that of one node of a cluster; the others are found by it. */
  cluster: boolean;
  /** How all its names begin. */
  prefix: string;
}

/**
 * A connection whose publish and subscribe calls never reject: the Socket.IO adapter does not await them, and a
 * lost publish costs nothing here, since the log heals it. Subscriptions are renewed by ioredis on reconnect.
 */
class ForgivingRedis extends Redis {
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return followed(this, event, () => super.emit(event, ...args));
  }
  /** ioredis would go on with the first database, which may be another deployment's. */
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
  /** A look for slots that is under way while it is closed would be followed by the next one for ever. */
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

/** What was heard on a channel and could not be followed. */
export class StrangeMessage extends Error {}

/**
 * Anyone with a hand on Redis can say something on its channels, and so do other versions: what nobody here can follow is
 * an error of the connection, to be told, and must not end the process.
 */
function followed(client: RedisClient, event: string | symbol, tell: () => boolean): boolean {
  try {
    return tell();
  } catch (cause) {
    if (!String(event).includes('message')) throw cause;
    return client.emit('error', new StrangeMessage('A message on Redis could not be followed.', { cause }));
  }
}

/** What Redis refuses is an error of the connection, to be told; what ends with a connection comes again with the next. */
export function forgiven(client: RedisClient, error: unknown): number {
  if (isRefusal(error)) client.emit('error', error);
  return 0;
}

/** Whether Redis answered that it will not do it, rather than nothing: no rights, a wrong password. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/**
 * Ends a connection without waiting for its other end. A node whose slots move says so to everyone who listens there; what
 * of it comes in when ioredis has let go of the connection is an error that nobody hears, which ends the process.
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

/** ioredis hands them over as anything. */
const areOptions = (options: unknown): options is StandaloneConnectionOptions =>
  typeof options === 'object' && options !== null;

const connectTimeout = 2000;
/** Whose slots move is not told to those who only listen there: they have to look where their channels are by now. */
const slotsRefreshInterval = 2000;
const retryStrategy = (times: number) => Math.min(times * 50, 500);

/**
 * @param waits whether what is asked before it is connected waits, rather than failing at once
 * @param answerMs how long an answer may take; undefined: any time
 */
export function redisClient(
  { url, cluster }: Omit<RedisPlace, 'prefix'>,
  waits: boolean,
  answerMs?: number,
): RedisClient {
  const common: RedisOptions = { connectTimeout, commandTimeout: answerMs, maxRetriesPerRequest: null };
  if (!cluster) return new ForgivingRedis(url, { ...common, retryStrategy, enableOfflineQueue: waits });
  const options: ClusterOptions = {
    redisOptions: { ...common, ...credentialsOf(url), ...(waits ? { Connector: AbruptConnector } : {}) },
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue: waits,
    shardedSubscribers: true,
    slotsRefreshTimeout: connectTimeout,
    slotsRefreshInterval,
  };
  return new ForgivingCluster([url], options);
}

/** What holds for all nodes of a cluster is given with the first one. */
function credentialsOf(url: string): RedisOptions {
  const { username, password, protocol } = new URL(url);
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

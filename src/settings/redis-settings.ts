import { z } from 'zod';
import { SettingsError } from './settings-error.ts';
import { isRedis, sentinelHosts, told, url } from './settings-lists.ts';

/** The Redis Sentinels that know where the primary is. */
export interface Sentinels {
  hosts: { host: string; port: number }[];
  /** The primary's name at the Sentinels. */
  name: string;
  username: string | null;
  password: string | null;
}

export interface RedisSettings {
  /** Null: this node is alone. With Sentinels its host does not matter. */
  redisUrl: string | null;
  /** Whether `redisUrl` is one node of a Redis Cluster (Redis 7 or newer). */
  redisCluster: boolean;
  /** The Sentinels that know the primary. Null: `redisUrl` is its address. */
  redisSentinels: Sentinels | null;
  /** Prefix of all names in Redis. */
  redisPrefix: string;
}

/** The environment variables for Redis. */
export const redisVariables = {
  REDIS_URL: url('redis', 'rediss')
    .refine(isRedis, 'can end with the number of a database, as redis://localhost:6379/1 does, and with nothing else')
    .optional()
    .meta(told('the Redis that connects the nodes', 'a single node')),
  REDIS_CLUSTER: z.enum(['on', 'off']).default('off').meta(told('`on`: `REDIS_URL` is one node of a Redis Cluster')),
  REDIS_SENTINELS: sentinelHosts
    .optional()
    .meta(
      told(
        'comma-separated Redis Sentinels (`host` or `host:port`) that name the primary; of `REDIS_URL`, if given, its name, password, database and `rediss` then apply to the primary',
        'none: `REDIS_URL` is the primary',
      ),
    ),
  REDIS_SENTINEL_NAME: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, "_", "." or "-"')
    .default('mymaster')
    .meta(told('the name by which the Sentinels know the primary')),
  REDIS_SENTINEL_USERNAME: z
    .string()
    .max(256)
    .optional()
    .meta(told('the name to sign in to the Sentinels with', 'none')),
  REDIS_SENTINEL_PASSWORD: z.string().max(512).optional().meta(told('the password for it', 'none')),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, 'must be 1 to 64 letters, digits, "_", ".", ":" or "-"')
    .default('parley')
    .meta(told('prefix of all its names in Redis; a different one for each deployment that shares a Redis')),
};

const schema = z.object(redisVariables);

export function redisSettings(env: z.infer<typeof schema>): RedisSettings {
  const { REDIS_SENTINELS: hosts, REDIS_SENTINEL_NAME: name } = env;
  const { REDIS_SENTINEL_USERNAME: username = null, REDIS_SENTINEL_PASSWORD: password = null } = env;
  return {
    redisUrl: env.REDIS_URL ?? (hosts ? `redis://${name}` : null),
    redisCluster: env.REDIS_CLUSTER === 'on',
    redisSentinels: hosts ? { hosts, name, username, password } : null,
    redisPrefix: env.REDIS_PREFIX,
  };
}

/** @throws SettingsError for a cluster without a named node, or with Sentinels */
export function requireOneKind({ redisUrl, redisCluster, redisSentinels }: RedisSettings): void {
  if (redisCluster && !redisUrl)
    throw new SettingsError('REDIS_CLUSTER is on, but no node of it is named; set REDIS_URL, or REDIS_CLUSTER to off.');
  if (redisCluster && redisSentinels)
    throw new SettingsError(
      'REDIS_CLUSTER is on, but a cluster has no Sentinels; unset REDIS_SENTINELS, or set REDIS_CLUSTER to off.',
    );
}

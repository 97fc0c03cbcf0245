import { randomUUID } from 'node:crypto';
import { type RedisClient, redisClient } from '../../infrastructure/redis-clients.ts';
import { within } from '../../infrastructure/within.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Check, ok, problem, reasonOf, warning } from './check.ts';

const answerMs = 3000;
const leastVersion = 6;
const leastOfCluster = 7;

/** Whether the Redis that connects the nodes does what they need. */
export async function redisChecks(settings: Settings): Promise<Check[]> {
  const { redisUrl: url, redisCluster: cluster, redisSentinels: sentinels, redisPrefix: prefix } = settings;
  if (url === null) {
    if (settings.workers === 1) return [ok('redis', 'there is no REDIS_URL: this is for a single node')];
    return [problem('redis', `WEB_CONCURRENCY is ${settings.workers} without a REDIS_URL`, 'Set REDIS_URL.')];
  }
  const clients = [1, 2].map(() => redisClient({ url, cluster, sentinels }, cluster ? 'wait' : 'once', answerMs));
  const failures: unknown[] = [];
  for (const client of clients) client.on('error', (error) => failures.push(error));
  try {
    const [commands, listener] = clients;
    if (!commands || !listener) return [];
    if (!cluster) await connected(clients);
    const info = await commands.info();
    return [
      ...serverChecks(info, cluster),
      await evictionCheck(commands, info),
      await roundTrip(commands, listener, `${prefix}:doctor:${randomUUID()}`, cluster),
      await writeCheck(commands, `${prefix}:doctor:${randomUUID()}`),
    ];
  } catch (error) {
    const reason = reasonOf(failures[0] ?? error);
    return [
      problem(
        'redis',
        `it cannot be used (${reason})`,
        'Check REDIS_URL: host, port, password, and rediss:// for TLS.',
      ),
    ];
  } finally {
    for (const client of clients) client.disconnect();
  }
}

/** @throws Error if one is not, in time */
async function connected(clients: RedisClient[]): Promise<void> {
  const all = Promise.all(clients.map((client) => client.connect()));
  // It may be told why first.
  if (!(await within(all, answerMs))) throw new Error('it does not answer');
}

const fieldOf = (info: string, name: string): string => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';

function serverChecks(info: string, cluster: boolean): Check[] {
  const version = fieldOf(info, 'redis_version');
  const [least, role] = [cluster ? leastOfCluster : leastVersion, fieldOf(info, 'role')];
  const isOld = Number(version.split('.')[0]) < least;
  return [
    isOld
      ? problem('redis', `it is version ${version}`, `Parley needs ${least} or newer.`)
      : ok('redis', `version ${version} answers${cluster ? ', as a cluster' : ''}`),
    ...(role === 'slave'
      ? [
          problem(
            'redis.role',
            'it is a replica, which takes no writes',
            'Name the primary in REDIS_URL, or use Sentinels.',
          ),
        ]
      : []),
    persistenceCheck(info),
  ];
}

/** Nothing in it has to last; what keeps it may cost time, or stop writes. */
function persistenceCheck(info: string): Check {
  const isFailing =
    fieldOf(info, 'rdb_last_bgsave_status') === 'err' || fieldOf(info, 'aof_last_write_status') === 'err';
  if (isFailing)
    return problem(
      'redis.persistence',
      'it cannot write to its disk, and then refuses writes',
      'Make room for it; or turn persistence off (save "", appendonly no): Parley keeps nothing there that must last.',
    );
  const isOn = fieldOf(info, 'aof_enabled') === '1';
  return ok(
    'redis.persistence',
    isOn ? 'appendonly is on, which Parley does not need' : 'nothing in it has to outlast a restart',
  );
}

async function evictionCheck(client: RedisClient, info: string): Promise<Check> {
  const policy = fieldOf(info, 'maxmemory_policy');
  const [used, most] = [Number(fieldOf(info, 'used_memory')), Number(fieldOf(info, 'maxmemory'))];
  if (most > 0 && used > 0.9 * most)
    return warning('redis.memory', 'more than 90 % of its maxmemory is in use', 'Raise maxmemory.');
  if (most > 0 && policy !== 'noeviction')
    return warning(
      'redis.memory',
      `its maxmemory-policy is ${policy}: presence and counters may be dropped when it is full`,
      'Set maxmemory-policy noeviction, and enough maxmemory.',
    );
  const count = await client.dbsize();
  return ok('redis.memory', `${Math.round(used / 1024 / 1024)} MiB in use, ${count} keys`);
}

/** What one connection publishes has to reach another. */
async function roundTrip(
  commands: RedisClient,
  listener: RedisClient,
  channel: string,
  cluster: boolean,
): Promise<Check> {
  const from = performance.now();
  const heard = new Promise<void>((resolve) => {
    const listen = (name: string) => {
      if (name === channel) resolve();
    };
    listener.on('message', listen);
    listener.on('smessage', listen);
  });
  await (cluster ? listener.ssubscribe(channel) : listener.subscribe(channel));
  const sent = cluster ? commands.spublish(channel, 'doctor') : commands.publish(channel, 'doctor');
  await sent;
  if (await within(heard, answerMs))
    return ok('redis.messages', `a message came back within ${Math.ceil(performance.now() - from)} ms`);
  return problem(
    'redis.messages',
    'a message that was published did not arrive',
    'Allow its user to publish and subscribe (ACL &*), and name one server in REDIS_URL, not several.',
  );
}

async function writeCheck(client: RedisClient, key: string): Promise<Check> {
  try {
    await client.set(key, 'doctor', 'PX', 10_000);
    await client.del(key);
    return ok('redis.writes', 'it takes writes');
  } catch (error) {
    return problem(
      'redis.writes',
      `it takes no writes (${reasonOf(error)})`,
      'Allow its user all commands and keys (ACL +@all ~*).',
    );
  }
}

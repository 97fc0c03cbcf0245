import { z } from 'zod';
import { BatchedRead } from '../../database/batched-read.ts';
import type { RedisConnections } from '../../infrastructure/redis.ts';
import { GatheredCommands } from '../../infrastructure/redis-gathered.ts';

/** An activity of someone in a channel. */
export interface Activity {
  channelId: string;
  userId: string;
  /** The socket that set it: the activity ends with that, unless another socket has set one since. */
  owner: string;
  /** Null: it has ended. */
  activity: string | null;
}

/** The most people of a channel whose activities are kept, and shown to those who join. */
export const maxOfChannel = 500;

// By Redis's clock: those of nodes differ.
const common = `local prefix = KEYS[1]
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function keep(channel, user, value, ms)
    redis.call('HSET', prefix .. 'in:' .. channel, user, value)
    redis.call('ZADD', prefix .. 'due', now + ms, channel .. ' ' .. user)
  end`;
/**
 * ARGV: ms for which they hold, how many a channel has at most, 1: replace earlier, then channel, user and value of
 * each. Returns for each 'held', 'new' to Redis, or 'lost': another socket set a different one, or one too many.
 */
const put = `${common}
  local answer = {}
  for i = 4, #ARGV, 3 do
    local channel, user, value = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    local known = redis.call('HGET', prefix .. 'in:' .. channel, user)
    local state = 'new'
    if known == value then state = 'held'
    elseif known and known ~= '' and ARGV[3] ~= '1' then state = 'lost'
    elseif not known and redis.call('HLEN', prefix .. 'in:' .. channel) >= tonumber(ARGV[2]) then state = 'lost' end
    if state ~= 'lost' then keep(channel, user, value, tonumber(ARGV[1])) end
    table.insert(answer, state)
  end
  return answer`;
/** ARGV: ms for which the end is remembered, channel, user, value. Returns whether it was the one that holds. */
const end = `${common}
  if redis.call('HGET', prefix .. 'in:' .. ARGV[2], ARGV[3]) ~= ARGV[4] then return 0 end
  keep(ARGV[2], ARGV[3], '', tonumber(ARGV[1]))
  return 1`;
/** ARGV: how many at most, ms for which they are remembered. Returns those that nobody renewed, to one node. */
const takeOverdue = `${common}
  local ended = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'due', '-inf', now, 'LIMIT', 0, tonumber(ARGV[1]))) do
    local channel, user = string.match(name, '^(%S+) (%S+)$')
    if redis.call('HGET', prefix .. 'in:' .. channel, user) == '' then
      redis.call('HDEL', prefix .. 'in:' .. channel, user)
      redis.call('ZREM', prefix .. 'due', name)
    else
      keep(channel, user, '', tonumber(ARGV[2]))
      table.insert(ended, name)
    end
  end
  return ended`;

const statesSchema = z.array(z.enum(['held', 'new', 'lost']));
const namesSchema = z.array(z.string());
const valuesSchema = z.array(z.string().nullable());
const fieldsSchema = z.record(z.string(), z.string());
const chunkSize = 200;

export type ActivityState = z.infer<typeof statesSchema>[number];

/** Activities on all nodes, each of which expires unless its node renews it. Calls reject without Redis. */
export class ActivityStore {
  private readonly redis: RedisConnections;
  private readonly commands: GatheredCommands;
  /** Many join a channel at the same time, each with a look at it. */
  private readonly channels = new BatchedRead((ids) => this.readChannels(ids), 0);
  /** The scripts touch several keys at once: in a cluster the hash tag puts all of them on one shard. */
  private readonly prefix: string;
  private readonly times: { holdMs: number; keptMs: number };

  /** @param times.keptMs how long it is remembered that one has ended, for clients that were cut off */
  constructor(redis: RedisConnections, times: { holdMs: number; keptMs: number }) {
    this.redis = redis;
    this.commands = new GatheredCommands(redis.commands);
    this.prefix = `{${redis.named('activities')}}:`;
    this.times = times;
  }

  /** @param isSaid false: they are only renewed, and another socket's later activity holds */
  async put(activities: Activity[], isSaid: boolean): Promise<ActivityState[]> {
    const states: ActivityState[] = [];
    for (let at = 0; at < activities.length; at += chunkSize) {
      const chunk = activities.slice(at, at + chunkSize);
      const texts = chunk.flatMap((one) => [one.channelId, one.userId, textOf(one)]);
      const options = [this.times.holdMs, maxOfChannel, isSaid ? 1 : 0];
      states.push(...statesSchema.parse(await this.run(put, [...options, ...texts])));
    }
    return states;
  }

  /** @returns whether it was what that person did last there */
  async end(activity: Activity): Promise<boolean> {
    const { channelId, userId } = activity;
    return (await this.run(end, [this.times.keptMs, channelId, userId, textOf(activity)])) === 1;
  }

  /** Those of a channel, and which have ended lately. */
  async of(channelId: string): Promise<Activity[]> {
    return (await this.channels.read(channelId)) ?? [];
  }

  /** Those of some users there. */
  async among(channelId: string, userIds: string[]): Promise<Activity[]> {
    const found = await this.commands.run('hmget', `${this.prefix}in:${channelId}`, ...userIds);
    return valuesSchema
      .parse(found)
      .flatMap((value, i) => (value === null ? [] : [activityOf(channelId, userIds[i] ?? '', value)]));
  }

  /** Those of nodes that are gone; each is given to one node. */
  async takeOverdue(): Promise<{ channelId: string; userId: string }[]> {
    const names = namesSchema.parse(await this.run(takeOverdue, [chunkSize, this.times.keptMs]));
    return names.map((name) => {
      const [channelId = '', userId = ''] = name.split(' ');
      return { channelId, userId };
    });
  }

  private async readChannels(ids: string[]): Promise<Map<string, Activity[]>> {
    const read = async (channelId: string): Promise<[string, Activity[]]> => {
      const found = fieldsSchema.parse(await this.commands.run('hgetall', `${this.prefix}in:${channelId}`));
      const known = Object.entries(found).map(([userId, value]) => activityOf(channelId, userId, value));
      return [channelId, known];
    };
    return new Map(await Promise.all(ids.map(read)));
  }

  private run(script: string, args: (string | number)[]): Promise<unknown> {
    return this.redis.commands.eval(script, 1, this.prefix, ...args);
  }
}

const textOf = ({ owner, activity }: Activity): string => `${owner}\n${activity}`;

function activityOf(channelId: string, userId: string, value: string): Activity {
  const at = value.indexOf('\n');
  const activity = value === '' ? null : value.slice(at + 1);
  return { channelId, userId, owner: value.slice(0, Math.max(at, 0)), activity };
}

import { createDatabase } from '../test/bench/postgres.ts';
import { RawClient } from './client.ts';
import { BenchServer } from './server.ts';

/** One of the servers that are compared, made ready for load: channels, and people who may use them. */
export interface Subject {
  name: string;
  servers: BenchServer[];
  channels: string[];
  /** Tokens of the people; baselines know none. */
  tokens: string[];
  connect(person: number, server?: number): Promise<RawClient>;
  stop(): Promise<void>;
}

interface Options {
  channels: number;
  people: number;
  nodes?: number;
  redisUrl?: string;
}

/** Parley itself, with nothing switched off but the rate limits, which would stop any load. */
export async function parley(options: Options): Promise<Subject> {
  const database = await createDatabase();
  const environment = {
    DATABASE_URL: database.url,
    JWT_SECRET: 'only for measuring',
    RATE_LIMITS: 'off',
    NEW_ACCOUNT_TIER: 'member',
    ...(options.redisUrl ? { REDIS_URL: options.redisUrl } : {}),
  };
  const servers: BenchServer[] = [];
  for (let i = 0; i < (options.nodes ?? 1); i++) servers.push(await BenchServer.start('src/main.ts', environment));
  const [first] = servers;
  if (!first) throw new Error('no server');
  const tokens: string[] = [];
  for (let i = 0; i < options.people; i++) {
    const account = { email: `bench${i}@example.com`, password: 'correct horse' };
    const { accessToken } = await first.request<{ accessToken: string }>('POST', '/api/auth/register', account);
    tokens.push(accessToken);
  }
  const [owner, ...others] = tokens;
  const community = { name: 'Bench', isPublic: true };
  const { id } = await first.request<{ id: string }>('POST', '/api/servers', community, owner);
  const path = `/api/servers/${id}`;
  for (const token of others) await first.request('POST', `${path}/join`, {}, token);
  const channels: string[] = [];
  for (let i = 0; i < options.channels; i++) {
    const channel = await first.request<{ id: string }>('POST', `${path}/channels`, { name: `c${i}` }, owner);
    channels.push(channel.id);
  }
  return subject('parley', servers, channels, tokens, database.drop);
}

/** A baseline (see bench/baselines). */
export async function baseline(script: 'stock' | 'bare', options: Options): Promise<Subject> {
  const database = script === 'bare' ? await createDatabase() : null;
  const environment = {
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...(options.redisUrl ? { REDIS_URL: options.redisUrl } : {}),
  };
  const servers: BenchServer[] = [];
  for (let i = 0; i < (options.nodes ?? 1); i++) {
    servers.push(await BenchServer.start(`bench/baselines/${script}.ts`, environment));
  }
  const channels = Array.from({ length: options.channels }, () => crypto.randomUUID());
  return subject(script, servers, channels, [], async () => database?.drop());
}

function subject(
  name: string,
  servers: BenchServer[],
  channels: string[],
  tokens: string[],
  drop: () => Promise<void>,
): Subject {
  return {
    name,
    servers,
    channels,
    tokens,
    connect: (person, server = 0) => {
      const token = tokens[person % tokens.length];
      return RawClient.connect(servers[server]?.port ?? 0, token === undefined ? {} : { token });
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await drop();
    },
  };
}

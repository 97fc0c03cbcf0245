import jwt from 'jsonwebtoken';
import { createDatabase, type TestDatabase } from '../test/rig/postgres.ts';
import { RawClient } from './client.ts';
import { BenchServer } from './server.ts';

/** One of the servers that are compared, made ready for load: channels, and people who may use them. */
export interface Subject {
  name: string;
  servers: BenchServer[];
  /** The first of the servers. */
  first: BenchServer;
  /** Empty where there is none. */
  databaseUrl: string;
  channels: string[];
  /** Tokens of the people; empty where none are asked for. */
  tokens: string[];
  connect(person: number, server?: number): Promise<RawClient>;
  stop(): Promise<void>;
}

export interface Options {
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
    JWT_SECRET: secret,
    RATE_LIMITS: 'off',
    NEW_ACCOUNT_TIER: 'member',
    ...(options.redisUrl ? { REDIS_URL: options.redisUrl } : {}),
  };
  const servers: BenchServer[] = [];
  for (let i = 0; i < (options.nodes ?? 1); i++) servers.push(await BenchServer.start('src/main.ts', environment));
  const first = firstOf(servers);
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
  return subject('parley', servers, channels, tokens, database);
}

/** `stock`: Socket.IO as it comes; `guarded`: the same, for those who have a token; `bare`: with one INSERT or SELECT behind it. */
export type Baseline = 'stock' | 'guarded' | 'bare';

const secret = 'only for measuring';

/** A baseline (see bench/baselines). */
export async function baseline(kind: Baseline, options: Options): Promise<Subject> {
  const database = kind === 'bare' ? await createDatabase() : null;
  const isGuarded = kind === 'guarded';
  const environment = {
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...(isGuarded ? { JWT_SECRET: secret } : {}),
    ...(options.redisUrl ? { REDIS_URL: options.redisUrl } : {}),
  };
  const script = database ? 'bare' : 'stock';
  const servers: BenchServer[] = [];
  for (let i = 0; i < (options.nodes ?? 1); i++) {
    servers.push(await BenchServer.start(`bench/baselines/${script}.ts`, environment));
  }
  const channels = Array.from({ length: options.channels }, () => crypto.randomUUID());
  const tokens = Array.from({ length: isGuarded ? options.people : 0 }, () =>
    jwt.sign({ sub: crypto.randomUUID() }, secret),
  );
  return subject(kind, servers, channels, tokens, database);
}

function firstOf(servers: BenchServer[]): BenchServer {
  const [first] = servers;
  if (!first) throw new Error('There is no server.');
  return first;
}

function subject(
  name: string,
  servers: BenchServer[],
  channels: string[],
  tokens: string[],
  database: TestDatabase | null,
): Subject {
  const clients: RawClient[] = [];
  return {
    name,
    servers,
    first: firstOf(servers),
    databaseUrl: database?.url ?? '',
    channels,
    tokens,
    async connect(person, server = 0) {
      const token = tokens[person % tokens.length];
      const port = servers[server]?.port ?? 0;
      const client = await RawClient.connect(port, token === undefined ? {} : { token });
      clients.push(client);
      return client;
    },
    async stop() {
      for (const client of clients) client.close();
      await Promise.all(servers.map((server) => server.stop()));
      await database?.drop();
    },
  };
}

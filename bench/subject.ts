import { createDatabase, type TestDatabase } from '../test/rig/postgres.ts';
import { RawClient } from './client.ts';
import { type Cost, type Costly, cpuOfPostgres, postmasterOf } from './cost.ts';
import { addCrowd, crowdTokens } from './crowd.ts';
import { timed } from './load.ts';
import { BenchServer } from './server.ts';

/** One of the servers that are compared, made ready for load: channels, and people who may use them. */
export interface Subject extends Costly {
  name: string;
  servers: BenchServer[];
  /** The first of the servers. */
  first: BenchServer;
  /** Empty where there is none. */
  databaseUrl: string;
  /** Of the server (community) that everybody is a member of; empty where there is none. */
  serverId: string;
  channels: string[];
  /** Tokens of the people, who are all different; empty where none are asked for. Parley's first one owns the server. */
  tokens: string[];
  connect(person: number, server?: number): Promise<RawClient>;
  /** Stops one of the servers as an operator does, and starts it again on its port. @returns how long the start took, in ms */
  restart(server: number): Promise<number>;
  stop(): Promise<void>;
}

export interface Options {
  channels: number;
  people: number;
  nodes?: number;
  redisUrl?: string;
  /** Stock Socket.IO with its recovery in memory; Parley always has its own. */
  recovers?: boolean;
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
  const start = (port?: number) => BenchServer.start('src/main.ts', environment, port);
  const servers = await startAll(start, options);
  const first = firstOf(servers);
  const account = { email: 'owner@example.com', password: 'correct horse' };
  const { accessToken: owner } = await first.request<{ accessToken: string }>('POST', '/api/auth/register', account);
  const community = { name: 'Bench', isPublic: true };
  const { id } = await first.request<{ id: string }>('POST', '/api/servers', community, owner);
  const path = `/api/servers/${id}`;
  const tokens = [owner, ...(await addCrowd(database.url, secret, id, options.people - 1))];
  const channels: string[] = [];
  for (let i = 0; i < options.channels; i++) {
    const channel = await first.request<{ id: string }>('POST', `${path}/channels`, { name: `c${i}` }, owner);
    channels.push(channel.id);
  }
  return subject({ name: 'parley', servers, channels, tokens, serverId: id, start }, database);
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
    ...(options.recovers ? { RECOVERS: 'yes' } : {}),
    ...(options.redisUrl ? { REDIS_URL: options.redisUrl } : {}),
  };
  const script = database ? 'bare' : 'stock';
  const start = (port?: number) => BenchServer.start(`bench/baselines/${script}.ts`, environment, port);
  const servers = await startAll(start, options);
  const channels = Array.from({ length: options.channels }, () => crypto.randomUUID());
  const tokens = database ? [] : crowdTokens(secret, options.people);
  return subject({ name: kind, servers, channels, tokens, serverId: '', start }, database);
}

function firstOf(servers: BenchServer[]): BenchServer {
  const [first] = servers;
  if (!first) throw new Error('There is no server.');
  return first;
}

type Start = (port?: number) => Promise<BenchServer>;

/** One after the other: the first of them makes the tables. */
async function startAll(start: Start, { nodes = 1 }: Options): Promise<BenchServer[]> {
  const servers: BenchServer[] = [];
  for (let i = 0; i < nodes; i++) servers.push(await start());
  return servers;
}

async function subject(
  { start, ...parts }: Pick<Subject, 'name' | 'servers' | 'channels' | 'tokens' | 'serverId'> & { start: Start },
  database: TestDatabase | null,
): Promise<Subject> {
  const { servers, tokens } = parts;
  const clients: RawClient[] = [];
  const postmaster = database ? await postmasterOf(database.url) : null;
  return {
    ...parts,
    get first() {
      return firstOf(servers);
    },
    databaseUrl: database?.url ?? '',
    cost(): Cost {
      const nodes = servers.reduce((sum, server) => sum + server.cpu(), 0);
      return { nodes, postgres: postmaster === null ? 0 : cpuOfPostgres(postmaster) };
    },
    async connect(person, server = 0) {
      const token = tokens[person % tokens.length];
      const client = await RawClient.connect(servers[server]?.port ?? 0, token === undefined ? {} : { token });
      clients.push(client);
      return client;
    },
    async restart(index) {
      const server = servers[index];
      if (!server) throw new Error('There is no such server.');
      await server.stop();
      return timed(async () => {
        servers[index] = await start(server.port);
      });
    },
    async stop() {
      for (const client of clients) client.close();
      await Promise.all(servers.map((server) => server.stop()));
      await database?.drop();
    },
  };
}

import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../infrastructure/log.ts';
import { Silence } from '../infrastructure/silence.ts';
import { isWaitedInVain } from './failures.ts';

const checkMs = 250;
/** After this many checks without an answer, PostgreSQL is asked whether it is working on one. */
const doubtfulChecks = 2;
/** How long PostgreSQL may take to answer that. */
const askMs = 2000;
/** How long it counts as answering after an answer: nodes ask it something every second. */
const recentMs = 2000;
/** The pause before it is asked again. */
const restMs = 1000;

type Connection = Pick<pg.ClientBase, 'query'>;

/** A connection in use, and for how many checks its user has been waiting for an answer. */
interface Use {
  silence: Silence;
  checks: number;
}

/** A connection that may be dead, and how much it had received when it was first suspected. */
interface Doubt {
  client: pg.PoolClient;
  wire: Socket;
  pid: number;
  bytes: number;
}

/**
 * Ends connections that will never receive an answer, so that no caller waits for one:
 *
 * - Half-open ones, whose other end a firewall, a proxy or a crash dropped silently: PostgreSQL, asked on a new
 *   connection, is not working on their statements. Idle connections are most likely dead too, and are closed as well.
 * - All that received nothing for longer than PostgreSQL allows a statement. A hung server neither enforces its time
 *   limits nor answers. The driver's own limit, `query_timeout`, creates a timer for each statement, whose references
 *   survive several garbage collections: two thirds of all collecting when pages are read.
 */
export class HungConnections {
  private readonly pools: pg.Pool[];
  private readonly url: string;
  private readonly maxChecks: number;
  private readonly log: Log;
  private readonly used = new Map<pg.PoolClient, Use>();
  private readonly timer: NodeJS.Timeout;
  private restUntil = 0;
  private answeredAt = Number.NEGATIVE_INFINITY;

  /** @param limitMs longer than PostgreSQL's own time limits */
  constructor(pools: pg.Pool[], url: string, limitMs: number, log: Log) {
    this.pools = pools;
    this.url = url;
    this.maxChecks = Math.ceil(limitMs / checkMs);
    this.log = log;
    for (const pool of pools) {
      pool.on('acquire', (client) => this.used.set(client, { silence: new Silence(), checks: 0 }));
      pool.on('release', (error, client) => {
        this.used.delete(client);
        if (!error) this.answeredAt = performance.now();
      });
      pool.on('remove', (client) => this.used.delete(client));
    }
    this.timer = setInterval(() => this.check(), checkMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /**
   * A pool whose connections were all in use for too long, although PostgreSQL did what it was asked for a moment ago, is
   * busy: that is no outage.
   */
  reasonOf(error: unknown): unknown {
    const answers = performance.now() - this.answeredAt < recentMs;
    return answers && isWaitedInVain(error) ? new AppError('SERVER_BUSY') : error;
  }

  /** Ends all connections, since the server answers nobody: whoever waits for it need not wait longer. */
  breakAll(): void {
    for (const client of this.used.keys()) wireOf(client)?.destroy(hung());
    for (const pool of this.pools) renewIdle(pool);
  }

  private check(): void {
    const doubtful: Doubt[] = [];
    for (const [client, use] of this.used) {
      const wire = wireOf(client);
      if (!wire) continue;
      const silent = use.silence.check(wire);
      use.checks = isAwaiting(client) ? Math.min(use.checks + 1, silent) : 0;
      if (use.checks >= this.maxChecks) wire.destroy(hung());
      // PostgreSQL cannot work on a statement that is still being sent.
      else if (use.checks >= doubtfulChecks && wire.writableLength === 0) {
        doubtful.push({ client, wire, pid: pidOf(client), bytes: wire.bytesRead });
      }
    }
    if (doubtful.length > 0 && performance.now() > this.restUntil) void this.ask(doubtful);
  }

  private async ask(doubtful: Doubt[]): Promise<void> {
    this.restUntil = Number.POSITIVE_INFINITY;
    const pids = doubtful.map(({ pid }) => pid);
    const atWork = await backendsAtWork(this.url, pids).catch(() => new Set(pids));
    // An answer may have been on its way when PostgreSQL was asked.
    await delay(checkMs);
    this.restUntil = performance.now() + restMs;
    const dead = doubtful.filter(
      ({ client, wire, pid, bytes }) => !atWork.has(pid) && wire.bytesRead === bytes && isAwaiting(client),
    );
    if (dead.length === 0) return;
    this.log.warn({ connections: dead.length }, 'Connections to PostgreSQL are dead, and are opened anew.');
    for (const { wire } of dead) wire.destroy(hung());
    for (const pool of this.pools) renewIdle(pool);
  }
}

function renewIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left--) {
    pool.connect().then(
      (client) => {
        client.release(true);
        // The other end is gone: no goodbye.
        wireOf(client)?.destroy();
      },
      () => {},
    );
  }
}

/**
 * Which of these backends are working on a statement: all, if a pooler is in between, since the ids that it gives to its
 * clients are not those of backends.
 * @throws if PostgreSQL does not answer
 */
async function backendsAtWork(url: string, pids: number[]): Promise<Set<number>> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: askMs, query_timeout: askMs });
  client.on('error', () => {});
  try {
    await client.connect();
    // A state that the role may not see is null. ClientWrite: an answer that no client reads.
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[])
       AND coalesce(state NOT LIKE 'idle%' AND wait_event IS DISTINCT FROM 'ClientWrite', true)`,
      [[...pids, pidOf(client)]],
    );
    const atWork = new Set(rows.map(({ pid }) => pid));
    return atWork.has(pidOf(client)) ? atWork : new Set(pids);
  } finally {
    client.end().catch(() => {});
    setTimeout(() => wireOf(client)?.destroy(), askMs).unref();
  }
}

const hung = () => Object.assign(new Error('PostgreSQL does not answer.'), { code: 'ETIMEDOUT' });

/** Whether a sent statement has no answer yet. The driver has no public API for this, nor for the following. */
function isAwaiting(client: Connection): boolean {
  return Reflect.get(client, 'readyForQuery') === false;
}

function pidOf(client: Connection): number {
  const pid: unknown = Reflect.get(client, 'processID');
  return typeof pid === 'number' ? pid : 0;
}

/** The socket of a connection. */
export function wireOf(client: Connection): Socket | undefined {
  const connection: unknown = Reflect.get(client, 'connection');
  const stream: unknown = typeof connection === 'object' && connection ? Reflect.get(connection, 'stream') : undefined;
  return stream instanceof Socket ? stream : undefined;
}

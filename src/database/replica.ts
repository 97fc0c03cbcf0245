import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../infrastructure/log.ts';
import { StateLog } from '../infrastructure/state-log.ts';
import type { StatementWatch } from '../infrastructure/statement-watch.ts';
import { within } from '../infrastructure/within.ts';
import type { Settings } from '../settings/settings.ts';
import { asDatabaseError, databaseCode, isTimeout, isUnavailable } from './failures.ts';
import { HungConnections, wireOf } from './hung-connections.ts';
import { limitsOf, onceForAll, openPool, preparingReplica } from './pools.ts';
import { ReplayWatch } from './replay-watch.ts';
import { mismatch, type Position, readReplayed, type Standing, selectReplica } from './standing.ts';
import { statementName, watchStatements } from './statements.ts';
import { abandon, pipelined, plannedApart, type Reader, type Rows } from './transaction.ts';

/** How often it is looked at, and how long it may take to answer then. */
const everyMs = 500;
const answerMs = 1000;
/** A process that was suspended has not read yet what is there. */
const readMs = 250;
/** How long a read waits for the replica to get as far as the primary was. */
const catchUpMs = 20;
/** How long a read waits for a connection, if none is idle. */
const connectionMs = 100;

/** Why a replica is not read from until it is looked at again. */
const lags = 'it lags behind';
const breaks = 'its connections break';

/** Why a read from a replica gave no answer: the primary is to be asked. */
export class ReplicaFailure extends Error {
  readonly reason: 'lagging' | 'failed';
  constructor(reason: 'lagging' | 'failed', cause?: unknown) {
    super(`A replica is ${reason}.`, { cause });
    this.reason = reason;
  }
}

export interface ReplicaOptions {
  settings: Settings['database'];
  /** Asks the primary. */
  primary: () => Promise<Standing & Position>;
  watches: StatementWatch[];
  log: Log;
}

/**
 * A streaming replica of the database. A node looks at it all the time, and reads from it only while it is known to be
 * fine; each connection then says itself how far it is, since one address may lead to several servers.
 */
export class Replica {
  /** `host:port`; the URL holds a password. */
  readonly name: string;
  /** How many reads it has answered. */
  reads = 0;
  /** How many bytes of the log it was behind the primary, last. */
  lagBytes = 0;
  private readonly url: string;
  private readonly options: ReplicaOptions;
  private readonly pool: pg.Pool;
  private readonly hung: HungConnections;
  private readonly watch = new ReplayWatch(() => this.replayed());
  private readonly told: StateLog<string | null>;
  private client: pg.Client | undefined;
  /** Why it is not read from; null: it is. */
  private problem: string | null = 'it was not asked yet';
  private fineAt = performance.now();
  private primary: Standing | undefined;
  private readonly closing = new AbortController();
  private readonly looking: Promise<void>;

  constructor(url: string, options: ReplicaOptions) {
    const { settings, watches, log } = options;
    const { host, port } = new pg.Client({ connectionString: url });
    this.name = `${host}:${port}`;
    this.url = url;
    this.options = options;
    const verify = preparingReplica({ ...limitsOf(settings).reading, ...onceForAll }, (client) =>
      this.requireSame(client),
    );
    const own = { connectionString: url, connectionTimeoutMillis: settings.connectTimeoutMs, keepAlive: true };
    this.pool = openPool({ ...own, max: Math.ceil(settings.poolSize / 2), verify, pipeline: true }, log);
    watchStatements(this.pool, watches);
    this.hung = new HungConnections([this.pool], url, settings.statementTimeoutMs + 1000, log);
    this.told = new StateLog<string | null>('', (problem, leftOut) => {
      const about = { replica: this.name, ...(leftOut > 0 && { leftOut }) };
      if (problem === null) log.info(about, 'A replica of the database is read from.');
      else log.warn({ ...about, reason: problem }, 'A replica of the database is not read from; the primary is.');
    });
    this.looking = this.look();
  }

  get isUsable(): boolean {
    return this.problem === null;
  }

  /** For how long it has not been read from. */
  get lagSeconds(): number {
    return this.isUsable ? 0 : (performance.now() - this.fineAt) / 1000;
  }

  /** Whether it is known to have replayed up to a position. */
  has({ timeline, position }: Position): boolean {
    return this.primary?.timeline === timeline && this.watch.seen >= position;
  }

  /** Waits a moment for that. Without success nothing is read from it until it has caught up. */
  async reaches({ timeline, position }: Position): Promise<boolean> {
    if (this.primary?.timeline !== timeline) return false;
    const reached = await this.watch.reaches(position, catchUpMs);
    if (!reached) this.setAside(lags);
    return reached;
  }

  /**
   * Runs reads on one connection.
   * @param from what the replica must have replayed; null: the rows never change
   * @throws ReplicaFailure if the primary has to be asked, and what `work` throws itself
   */
  async read<T>(from: Position | null, work: (reader: Reader) => Promise<T>): Promise<T> {
    const client = await this.take();
    const proven = from === null ? undefined : this.prove(client, from.position);
    // Work that reads nothing does not wait for it.
    proven?.catch(() => {});
    try {
      const result = await work(readerOn(client, proven));
      client.release();
      this.reads++;
      return result;
    } catch (error) {
      await abandon(client, error);
      throw this.asFailure(error);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.told.close();
    this.drop();
    await this.looking;
    this.drop();
    this.hung.close();
    await this.pool.end();
  }

  private async take(): Promise<pg.PoolClient> {
    const taken = this.pool.connect();
    taken.catch(() => this.setAside(breaks));
    const isIdle = this.pool.idleCount >= this.pool.waitingCount;
    if (isIdle || (await within(taken, connectionMs))) {
      return taken.catch((error) => Promise.reject(new ReplicaFailure('failed', error)));
    }
    taken.then(
      (client) => client.release(),
      () => {},
    );
    throw new ReplicaFailure('failed');
  }

  /** The connection itself says how far it is: right before it is read from, without waiting for the answer in between. */
  private async prove(client: pg.ClientBase, position: number): Promise<void> {
    const replayed = await readReplayed(client);
    if (replayed !== null) this.watch.note(replayed);
    if (replayed === null || replayed < position) throw new ReplicaFailure('lagging');
  }

  /**
   * The error for the caller. What PostgreSQL refuses the primary may answer, as when a replica ends a statement that
   * stands in the way of replaying; a statement that takes too long would take as long there.
   */
  private asFailure(error: unknown): unknown {
    if (error instanceof AppError) return error;
    if (error instanceof ReplicaFailure) {
      if (error.reason === 'lagging') this.setAside(lags);
      return error;
    }
    if (isTimeout(error)) return asDatabaseError(error);
    if (isUnavailable(error)) this.setAside(breaks);
    else if (!(error instanceof pg.DatabaseError)) return error;
    return new ReplicaFailure('failed', error);
  }

  private setAside(problem: string): void {
    this.problem ??= problem;
  }

  /** Looks at it until it is closed. */
  private async look(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      const problem = await this.findProblem();
      if (signal.aborted) return;
      if (problem !== undefined) {
        this.problem = problem;
        this.told.set(problem);
        if (problem === null) this.fineAt = performance.now();
      }
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** @returns why it cannot be read from; null: it can; undefined: the primary does not answer either */
  private async findProblem(): Promise<string | null | undefined> {
    const primary = await this.options.primary().catch(() => undefined);
    if (!primary) return undefined;
    let reason = 'it does not answer';
    const examined = this.examine(primary).catch((error: unknown) => {
      reason = reasonOf(error);
      throw error;
    });
    if ((await within(examined, answerMs)) || (await within(examined, readMs))) return examined;
    // Nobody waits for it any longer, and it may be another server from now on.
    this.drop();
    this.hung.breakAll();
    return reason;
  }

  private async examine(primary: Standing & Position): Promise<string | null> {
    const client = this.client ?? (await this.open());
    const { rows } = await client.query<Standing>(selectReplica);
    const own = rows[0];
    const problem = mismatch(own, primary);
    if (problem !== null || !own) return problem;
    if (this.primary?.timeline !== primary.timeline || this.primary.system !== primary.system) this.hung.breakAll();
    this.primary = primary;
    const behind = primary.position - (own.position ?? 0);
    this.lagBytes = Math.max(0, behind);
    return (await this.watch.reaches(primary.position, catchUpMs)) ? null : lags;
  }

  private async open(): Promise<pg.Client> {
    const own = { connectionString: this.url, connectionTimeoutMillis: answerMs, keepAlive: true };
    const client = new pg.Client(own);
    client.on('error', () => {});
    this.client = client;
    this.watch.reset();
    await client.connect();
    return client;
  }

  private drop(): void {
    // No goodbye: the other end may be gone.
    if (this.client) wireOf(this.client)?.destroy();
    this.client = undefined;
    this.watch.reset();
  }

  private replayed(): Promise<number | null> {
    return this.client ? readReplayed(this.client) : Promise.resolve(null);
  }

  /** For each new connection. @throws if it leads to a server that is not what this one was found to be */
  private async requireSame(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query<Standing>(selectReplica);
    const problem = this.primary ? mismatch(rows[0], this.primary) : 'it was not asked yet';
    if (problem !== null) throw new Error(`A replica is not read from: ${problem}.`);
  }
}

/** @param proven fulfilled if the answers may be used */
function readerOn(client: pg.PoolClient, proven: Promise<void> | undefined): Reader {
  const run = async <R extends object>(statement: pg.QueryConfig): Promise<R[]> => {
    const { answer } = await pipelined({ proven, answer: client.query<R>(statement) });
    return answer.rows;
  };
  const rows: Rows = <R extends object>(text: string, values: unknown[] = []) =>
    run<R>({ name: statementName(text), text, values });
  const transaction = async <T>(begin: string, work: () => Promise<T>): Promise<T> => {
    const begun = client.query(begin);
    begun.catch(() => {});
    const result = await work();
    await pipelined({ begun, ended: client.query('COMMIT') });
    return result;
  };
  return {
    rows,
    plannedRows: <R extends object>(text: string, values: unknown[] = []) =>
      transaction(plannedApart, () => run<R>({ text, values })),
    transaction: (work) => transaction('BEGIN', () => work({ rows })),
  };
}

/** In a few words, without the address. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || (databaseCode(error) ?? 'no answer') : String(error);
}

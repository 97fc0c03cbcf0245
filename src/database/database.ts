import { AsyncLocalStorage } from 'node:async_hooks';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../infrastructure/log.ts';
import type { StatementWatch } from '../infrastructure/statement-watch.ts';
import { within } from '../infrastructure/within.ts';
import type { Settings } from '../settings/settings.ts';
import { entities } from './entities.ts';
import { asDatabaseError, asUndone, takesNoWrites } from './failures.ts';
import { HungConnections } from './hung-connections.ts';
import { KeptConnection } from './kept-connection.ts';
import { limitsOf, onceForAll, openPool, prepareLong, preparing } from './pools.ts';
import { type Queries, queriesOf } from './queries.ts';
import { Replicas } from './replicas.ts';
import { SingleStatements } from './single-statements.ts';
import { failedStatementLog, slowStatementLog, statementName, watchStatements } from './statements.ts';
import {
  abandon,
  dialectOf,
  Lease,
  onConnection,
  plannedApart,
  type Reader,
  type Rows,
  requireCommitted,
  Transaction,
} from './transaction.ts';

export type { Queries, Reader, Rows, Transaction };

// Sequence numbers and counts stay far below 2^53, up to which numbers are exact.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// As MikroORM does it: records show times as text, and most rows become records.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => text);

/** The pools for transactions, for single statements, and for quick transactions. */
type Pools = [pg.Pool, pg.Pool, pg.Pool];

interface Parts {
  orm: MikroORM;
  single: SingleStatements;
  pools: Pools;
  hung: HungConnections;
  watches: StatementWatch[];
  replicas: { urls: string[]; settings: Settings['database']; log: Log };
}

/** Enough for the writer, which has one batch at a time, and for some hung ones that it has given up on. */
const quickConnections = 4;

/**
 * PostgreSQL: entities through MikroORM where rules live, plain SQL on hot paths. Single statements have connections of
 * their own: a read beside a transaction, such as to fill a cache, must never wait for another transaction to end.
 */
export class Database {
  private readonly orm: MikroORM;
  private readonly ownQueries: Queries;
  private readonly single: SingleStatements;
  /** For transactions. Its connections pipeline statements, as do those of `quickPool`. */
  readonly pool: pg.Pool;
  /** For single statements. */
  readonly statements: pg.Pool;
  /** For quick transactions. */
  private readonly quickPool: pg.Pool;
  /** For quick transactions that are one statement. */
  private readonly quick: KeptConnection;
  private readonly underWay = new Set<Promise<unknown>>();
  private closing = false;
  readonly url: string;
  private readonly watches: StatementWatch[];
  private readonly hung: HungConnections;
  /** Null: there are none. */
  readonly replicas: Replicas | null;

  private constructor(url: string, { orm, single, pools, hung, watches, replicas }: Parts) {
    this.url = url;
    this.orm = orm;
    this.single = single;
    this.ownQueries = queriesOf(this.orm.em.fork());
    [this.pool, this.statements, this.quickPool] = pools;
    this.quick = new KeptConnection(this.quickPool);
    this.watches = watches;
    this.hung = hung;
    for (const pool of pools) watchStatements(pool, this.watches);
    const { urls, settings, log } = replicas;
    this.replicas = urls.length > 0 ? new Replicas(urls, this.committedRows, { settings, watches, log }) : null;
  }

  /** @param serving true for a node, which others can then detect (see advisoryLocks), and which reads from replicas */
  static async connect(url: string, settings: Settings, log: Log, serving = false): Promise<Database> {
    const { poolSize, connectTimeoutMs, statementTimeoutMs, slowStatementMs } = settings.database;
    const max = Math.ceil(poolSize / 2);
    const own = { connectionString: url, connectionTimeoutMillis: connectTimeoutMs, keepAlive: true };
    const { reading, changing, quick } = limitsOf(settings.database);
    const verify = (limits: object) => preparing({ ...limits, ...onceForAll }, serving);
    const pool = openPool({ ...own, max, verify: verify(changing), pipeline: true }, log);
    const statements = openPool({ ...own, max, verify: verify(reading) }, log);
    const quickPool = openPool({ ...own, max: quickConnections, verify: verify(quick), pipeline: true }, log);
    const pools: Pools = [pool, statements, quickPool];
    const hung = new HungConnections(pools, url, statementTimeoutMs + 1000, log);
    const single = new SingleStatements(statements);
    const orm = await MikroORM.init({
      clientUrl: url,
      entities,
      // The ORM has no connections of its own: it writes on those of transactions, and reads on those of single statements.
      driverOptions: dialectOf(single.asPool()),
      logger: (message: string) => log.debug(message),
    });
    const watches = [slowStatementLog(slowStatementMs, log), failedStatementLog(log)];
    const replicas = { urls: serving ? settings.databaseReplicaUrls : [], settings: settings.database, log };
    return new Database(url, { orm, single, pools, hung, watches, replicas });
  }

  /** Calls `watch` for every statement from now on. */
  watch(watch: StatementWatch): void {
    this.watches.push(watch);
  }

  /** Connections to PostgreSQL: how many are open, how many of them idle, and how many callers wait for one. */
  get connections(): { open: number; idle: number; waiting: number } {
    const pools = [this.pool, this.statements, this.quickPool];
    const sum = (of: (pool: pg.Pool) => number) => pools.reduce((all, pool) => all + of(pool), 0);
    return {
      open: sum((pool) => pool.totalCount),
      idle: sum((pool) => pool.idleCount),
      waiting: sum((pool) => pool.waitingCount),
    };
  }

  private readonly current = new AsyncLocalStorage<Transaction>();

  /** Plain SQL: in the caller's transaction if there is one, else on its own. The texts are constants of the code. */
  readonly rows: Rows = <R extends object>(text: string, values: unknown[] = []): Promise<R[]> => {
    const transaction = this.current.getStore();
    return transaction ? transaction.rows<R>(text, values) : this.committedRows<R>(text, values);
  };

  /** Plain SQL that never sees uncommitted changes, for filling caches. */
  readonly committedRows: Rows = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await this.single.run<R>({ name: statementName(text), text, values })).rows;

  /** Typed queries: in the caller's transaction if there is one, else each on its own. */
  get db(): Queries {
    return this.current.getStore()?.db ?? this.ownQueries;
  }

  /** Reads entities: in the caller's transaction if there is one, else changes to them are not written. */
  async read<T>(of: (em: EntityManager) => Promise<T>): Promise<T> {
    const transaction = this.current.getStore();
    if (transaction) return of(transaction.em);
    return of(this.orm.em.fork()).catch((error) => Promise.reject(asDatabaseError(error)));
  }

  /** Single statements whose best plan depends on the values: planned for them each time. */
  readonly plannedRows: Rows = <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    this.single.read(() =>
      this.on(this.pool, plannedApart, async (_rows, lease) => ({ result: await lease.query<R>({ text, values }) })),
    );

  /**
   * Runs reads that may be made on a replica: they see all that was visible when they were asked for, as on the primary.
   * In the caller's transaction if there is one. They may run twice: first on a replica that fails, then on the primary.
   */
  async readCurrent<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    if (!this.replicas || this.current.getStore()) return work(this);
    const found = await this.replicas.readCurrent(work);
    return found ? found.result : work(this);
  }

  /** The same for rows that never change, so that any replica that has them will do. @param work undefined: not there */
  async readImmutable<T>(work: (rows: Rows) => Promise<T | undefined>): Promise<T | undefined> {
    const found = await this.replicas?.readAny(({ rows }) => work(rows));
    return found?.result ?? work(this.committedRows);
  }

  /** Runs `work` in one transaction of its own; entities it changed are flushed before the commit. */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    // On a closing pool it would wait for a connection forever.
    if (this.closing) throw new AppError('DATABASE_UNAVAILABLE');
    const transaction = this.on(this.pool, 'BEGIN', async (rows, lease) => {
      const transaction = new Transaction(rows, lease, () => onConnection(this.orm.em.fork(), lease));
      const result = await this.current.run(transaction, () => work(transaction));
      await transaction.flush();
      return { result, last: transaction.last };
    });
    this.underWay.add(transaction);
    try {
      return await transaction;
    } finally {
      this.underWay.delete(transaction);
    }
  }

  /**
   * Runs `work` in one transaction on a connection reserved for short transactions, so that longer ones never keep them
   * waiting.
   */
  quickTransaction<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.on(this.quickPool, 'BEGIN', async (rows) => ({ result: await work(rows) }));
  }

  /** A single statement that is a quick transaction by itself. */
  readonly quickRows: Rows = async <R extends object>(text: string, values: unknown[] = []) => {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.quick.take();
      const { rows } = await client.query<R>({ name: statementName(text), text, values });
      this.quick.giveBack(client);
      return rows;
    } catch (error) {
      await abandon(client, error);
      throw asDatabaseError(this.hung.reasonOf(error));
    }
  };

  /**
   * Runs `work` in a transaction, with as little overhead as possible: statements that are not awaited are pipelined. A
   * broken connection is discarded, since its state is unknown.
   * @param begin the statements that begin the transaction
   */
  private async on<T>(
    pool: pg.Pool,
    begin: string,
    work: (rows: Rows, lease: Lease) => Promise<Outcome<T>>,
  ): Promise<T> {
    const lease = new Lease(pool, begin);
    const rows: Rows = <R extends object>(text: string, values: unknown[] = []) =>
      lease.query<R>({ name: statementName(text), text, values });
    let isCommitting = false;
    try {
      const { result, last } = await work(rows, lease).finally(() => lease.end());
      isCommitting = true;
      await lease.commit(last);
      return result;
    } catch (error) {
      await lease.abandon(error);
      const reason = this.hung.reasonOf(error);
      throw isCommitting ? asDatabaseError(reason) : asUndone(reason);
    }
  }

  /**
   * Runs `work` in one transaction on a connection of its own, without time limits: for reading or writing a whole server.
   * @param snapshot it sees one snapshot throughout, regardless of concurrent commits, and may only read
   */
  async longTransaction<T>(work: (rows: Rows) => Promise<T>, { snapshot }: { snapshot: boolean }): Promise<T> {
    const client = new pg.Client({ connectionString: this.url, keepAlive: true });
    client.on('error', () => {});
    try {
      await client.connect();
      await prepareLong(client);
      await client.query(snapshot ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN');
      const result = await work(
        async <R extends object>(text: string, values: unknown[] = []) => (await client.query<R>(text, values)).rows,
      );
      requireCommitted(await client.query('COMMIT'));
      return result;
    } catch (error) {
      throw asDatabaseError(error);
    } finally {
      // This rolls back, unless it was committed before.
      await client.end().catch(() => {});
    }
  }

  /** Whether PostgreSQL answers and takes writes; `silent`: it does not answer within `ms`. */
  async condition(ms: number): Promise<'well' | 'read-only' | 'silent'> {
    const found: { readOnly: boolean }[] = [];
    // Existing connections may still read from a server that takes no writes; new ones are refused.
    const asked = this.statements
      .query<{ readOnly: boolean }>(readOnlyNow)
      .then(({ rows }) => rows)
      .catch((error) => (takesNoWrites(error) ? [{ readOnly: true }] : Promise.reject(asDatabaseError(error))))
      .then((rows) => found.push(...rows));
    if (!(await within(asked, ms))) return 'silent';
    return found[0]?.readOnly ? 'read-only' : 'well';
  }

  async close(): Promise<void> {
    this.closing = true;
    this.single.close();
    await this.replicas?.close();
    await Promise.allSettled(this.underWay);
    await Promise.all([this.quickPool.end(), this.statements.end(), this.pool.end()]);
    this.hung.close();
  }
}

/** True on a standby too. */
const readOnlyNow = `SELECT current_setting('transaction_read_only')::boolean AS "readOnly"`;

/** The result of the work on a connection. */
interface Outcome<T> {
  result: T;
  /** A statement still in flight: if it fails, so does the commit. */
  last?: Promise<unknown>;
}

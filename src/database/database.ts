import { AsyncLocalStorage } from 'node:async_hooks';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Log } from '../infrastructure/log.ts';
import { within } from '../infrastructure/within.ts';
import type { Settings } from '../settings.ts';
import { entities } from './entities.ts';
import { asDatabaseError, isUnavailable, takesNoWrites } from './failures.ts';
import { HungConnections } from './hung-connections.ts';
import { KeptConnection } from './kept-connection.ts';
import { onceForAll, openPool, preparing } from './pools.ts';
import { failedStatementLog, type StatementWatch, slowStatementLog, watchStatements } from './statements.ts';
import { dialectOf, onConnection, pipelined, type Rows, requireCommitted, Transaction } from './transaction.ts';

export type { Rows, Transaction };

// Sequence numbers and counts stay far below 2^53, where a number is exact.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// As MikroORM has them: records show times as text, and most of what is read goes into records.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => text);

/** How long changes, and quick transactions, wait for a lock before they begin anew, of the time that PostgreSQL waits for a node. */
const lockWaitShares = { change: 2 / 3, quick: 1 / 12 };

/** For transactions, for statements on their own, and for quick transactions. */
type Pools = [pg.Pool, pg.Pool, pg.Pool];

/** Enough for the writer, one batch at a time, and some that hang while it has given up on them. */
const quickConnections = 4;

/**
 * PostgreSQL: entities through MikroORM where rules live, plain SQL where it is hot. Single statements have connections
 * of their own: what is read beside a transaction, to fill a cache say, must never wait for another transaction's end.
 */
export class Database {
  private readonly orm: MikroORM;
  /** For transactions. Its connections send statements without waiting for the answers before, as those of `quickPool`. */
  readonly pool: pg.Pool;
  /** For statements on their own. */
  readonly statements: pg.Pool;
  /** For quick transactions. */
  private readonly quickPool: pg.Pool;
  /** For quick transactions of one statement. */
  private readonly quick: KeptConnection;
  private readonly underWay = new Set<Promise<unknown>>();
  private closing = false;
  private readonly url: string;
  private readonly watches: StatementWatch[];
  private readonly hung: HungConnections;

  private constructor(url: string, orm: MikroORM, pools: Pools, watches: StatementWatch[], hung: HungConnections) {
    this.url = url;
    this.orm = orm;
    [this.pool, this.statements, this.quickPool] = pools;
    this.quick = new KeptConnection(this.quickPool);
    this.watches = watches;
    this.hung = hung;
    for (const pool of pools) watchStatements(pool, this.watches);
  }

  /** @param serving for a node: others see that one is there (see advisoryLocks) */
  static async connect(url: string, settings: Settings, log: Log, serving = false): Promise<Database> {
    const { poolSize, connectTimeoutMs, statementTimeoutMs, slowStatementMs } = settings.database;
    const max = Math.ceil(poolSize / 2);
    const own = { connectionString: url, connectionTimeoutMillis: connectTimeoutMs, keepAlive: true };
    const { reading, changing, quick } = limitsOf(settings.database);
    const verify = (limits: object) => preparing({ ...limits, ...onceForAll }, serving);
    const pool = openPool({ ...own, max, verify: verify(changing), pipeline: true }, log);
    const statements = openPool({ ...own, max, verify: verify(reading) }, log);
    const quickPool = openPool({ ...own, max: quickConnections, verify: verify(quick), pipeline: true }, log);
    const orm = await MikroORM.init({
      clientUrl: url,
      entities,
      // It has no connections of its own: entities are read and written on those of transactions.
      driverOptions: dialectOf(pool),
      logger: (message: string) => log.debug(message),
    });
    const watches = [slowStatementLog(slowStatementMs, log), failedStatementLog(log)];
    const pools: Pools = [pool, statements, quickPool];
    return new Database(url, orm, pools, watches, new HungConnections(pools, statementTimeoutMs + 1000));
  }

  /** Tells `watch` of every statement from here on. */
  watch(watch: StatementWatch): void {
    this.watches.push(watch);
  }

  /** Connections to PostgreSQL: how many there are, how many of them idle, and how many wait for one. */
  get connections(): { open: number; idle: number; waiting: number } {
    const pools = [this.pool, this.statements, this.quickPool];
    const sum = (of: (pool: pg.Pool) => number) => pools.reduce((all, pool) => all + of(pool), 0);
    return {
      open: sum((pool) => pool.totalCount),
      idle: sum((pool) => pool.idleCount),
      waiting: sum((pool) => pool.waitingCount),
    };
  }

  private readonly current = new AsyncLocalStorage<Rows>();

  /** Plain SQL: in the transaction that is under way here, else on its own. The texts are constants of the code. */
  readonly rows: Rows = <R extends object>(text: string, values: unknown[] = []): Promise<R[]> => {
    const inTransaction = this.current.getStore();
    return inTransaction ? inTransaction<R>(text, values) : this.committedRows<R>(text, values);
  };

  /** Plain SQL that never sees what is not committed yet: what caches are filled with. */
  readonly committedRows: Rows = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> => {
    try {
      const result = await this.statements.query<R>({ name: statementName(text), text, values });
      return result.rows;
    } catch (error) {
      throw asDatabaseError(error);
    }
  };

  /** Plain SQL on its own whose best plan depends on the values: it is made for them each time. */
  readonly plannedRows: Rows = <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    this.on(this.pool, plannedApart, async (_rows, connection) => {
      return { result: (await connection.query<R>(text, values)).rows };
    });

  /** Reads entities outside of a transaction: what is done to them is not kept. */
  async read<T>(of: (em: EntityManager) => Promise<T>): Promise<T> {
    return of(this.orm.em.fork()).catch((error) => Promise.reject(asDatabaseError(error)));
  }

  /** Runs `work` in one transaction of its own; entities it changed are flushed before the commit. */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    // The pool would let it wait for a connection that never comes.
    if (this.closing) throw new AppError('DATABASE_UNAVAILABLE');
    const transaction = this.on(this.pool, 'BEGIN', async (rows, connection) => {
      const transaction = new Transaction(rows, () => onConnection(this.orm.em.fork(), connection));
      const result = await this.current.run(rows, () => work(transaction));
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
   * Runs `work` in one transaction on a connection for those that are short and wait for no lock of a person's making: the
   * others never keep them waiting.
   */
  quickTransaction<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.on(this.quickPool, 'BEGIN', async (rows) => ({ result: await work(rows) }));
  }

  /** One statement that is a quick transaction by itself. */
  readonly quickRows: Rows = async <R extends object>(text: string, values: unknown[] = []) => {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.quick.take();
      const { rows } = await client.query<R>({ name: statementName(text), text, values });
      this.quick.giveBack(client);
      return rows;
    } catch (error) {
      await abandon(client, error);
      throw asDatabaseError(error);
    }
  };

  /**
   * Runs `work` in a transaction, with as little between it and PostgreSQL as possible: statements that are not waited for
   * travel together. A connection that was lost is thrown away, since nobody can know what state it is in.
   * @param begin the statements that begin the transaction
   */
  private async on<T>(
    pool: pg.Pool,
    begin: string,
    work: (rows: Rows, connection: pg.PoolClient) => Promise<Outcome<T>>,
  ): Promise<T> {
    let client: pg.PoolClient | undefined;
    try {
      client = await pool.connect();
      const connection = client;
      let isOver = false;
      const rows: Rows = async <R extends object>(text: string, values: unknown[] = []) => {
        // What was left running would go on in the transaction of whoever has the connection next.
        if (isOver) throw new Error('This transaction is over.');
        return (await connection.query<R>({ name: statementName(text), text, values })).rows;
      };
      // Not waited for: it travels together with the first statement, as the commit does with the last.
      const begun = connection.query(begin);
      const done = work(rows, connection).finally(() => {
        isOver = true;
      });
      const [, { result, last }] = await pipelined([begun, done]);
      const [, ended] = await pipelined([last, connection.query('COMMIT')]);
      requireCommitted(ended);
      client.release();
      return result;
    } catch (error) {
      await abandon(client, error);
      throw asDatabaseError(error);
    }
  }

  /**
   * Runs `work` in one transaction on a connection made for it, without limits of time: for what reads or writes a whole
   * server.
   * @param snapshot it sees one moment throughout, whatever is committed meanwhile, and may only read
   */
  async longTransaction<T>(work: (rows: Rows) => Promise<T>, { snapshot }: { snapshot: boolean }): Promise<T> {
    const client = new pg.Client({ connectionString: this.url, keepAlive: true });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(snapshot ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN');
      const result = await work(
        async <R extends object>(text: string, values: unknown[] = []) => (await client.query<R>(text, values)).rows,
      );
      requireCommitted(await client.query('COMMIT'));
      return result;
    } catch (error) {
      throw asDatabaseError(error);
    } finally {
      // Without a commit before, this is the rollback.
      await client.end().catch(() => {});
    }
  }

  /** What PostgreSQL does for those who ask now; `silent`: it does not answer within `ms`. */
  async condition(ms: number): Promise<'well' | 'read-only' | 'silent'> {
    const found: { readOnly: boolean }[] = [];
    // Connections that were opened before may go on reading where nothing is written any more; new ones are refused.
    const asked = this.committedRows<{ readOnly: boolean }>(readOnlyNow)
      .catch((error) => (takesNoWrites(error) ? [{ readOnly: true }] : Promise.reject(error)))
      .then((rows) => found.push(...rows));
    if (!(await within(asked, ms))) return 'silent';
    return found[0]?.readOnly ? 'read-only' : 'well';
  }

  async close(): Promise<void> {
    this.closing = true;
    await Promise.allSettled(this.underWay);
    await Promise.all([this.quickPool.end(), this.statements.end(), this.pool.end()]);
    this.hung.close();
  }
}

/** True of a standby too. */
const readOnlyNow = `SELECT current_setting('transaction_read_only')::boolean AS "readOnly"`;

/** Begins a transaction whose statements are planned for their values. */
const plannedApart = 'BEGIN; SET LOCAL plan_cache_mode = force_custom_plan';

/** What came of the work on a connection. */
interface Outcome<T> {
  result: T;
  /** A statement that is still on its way: it undoes the commit where it fails. */
  last?: Promise<unknown>;
}

/** Rolls back, unless it is the connection that failed, or one that takes no writes. */
async function abandon(client: pg.PoolClient | undefined, error: unknown): Promise<void> {
  if (!client) return;
  const isLost = isUnavailable(error instanceof AppError ? error.cause : error);
  try {
    if (!isLost) await client.query('ROLLBACK');
    client.release(isLost);
  } catch {
    client.release(true);
  }
}

const statementNames = new Map<string, string>();

/** A short stable name per distinct text; the texts are constants of the code, so there are few. */
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `s${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return name;
}

/**
 * How long PostgreSQL lets anything take: for connections that only read, for those that change something, and for those of
 * quick transactions.
 */
function limitsOf({ statementTimeoutMs, idleTransactionMs }: Settings['database']) {
  const reading = {
    statement_timeout: statementTimeoutMs,
    // Whoever stops in the middle of a transaction, a frozen node say, holds the logs that it has locked.
    idle_in_transaction_session_timeout: idleTransactionMs,
  };
  // A frozen node's transactions that wait for one lock would take their turns at it, each until it is ended for idling.
  // So waiting ends before that, and those who live begin anew.
  const waiting = (share: number) => ({ ...reading, lock_timeout: Math.ceil(idleTransactionMs * share) });
  return { reading, changing: waiting(lockWaitShares.change), quick: waiting(lockWaitShares.quick) };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import type pg from 'pg';
import { AppError } from '../contract/errors.ts';
import { isAftermath, isUnavailable } from './failures.ts';
import { type Queries, queriesOf } from './queries.ts';

/** Runs one SQL statement with $1-style parameters and returns its rows. `R` states the selected columns. */
export type Rows = <R extends object = Record<string, never>>(text: string, values?: unknown[]) => Promise<R[]>;

/** Where something is read: the primary, or a replica. */
export interface Reader {
  readonly rows: Rows;
  /** Single statements whose best plan depends on the values: planned for them each time. */
  readonly plannedRows: Rows;
  /** Runs statements that belong together, such as those of a cursor. */
  transaction<T>(work: (transaction: { rows: Rows }) => Promise<T>): Promise<T>;
}

/** Begins a transaction in which each statement is planned for its values. */
export const plannedApart = 'BEGIN; SET LOCAL plan_cache_mode = force_custom_plan';

/**
 * The connection of a transaction. It is taken with the first statement: work that ends or waits before that occupies none.
 */
export class Lease {
  private readonly pool: pg.Pool;
  private readonly begin: string;
  private taken: Promise<pg.PoolClient> | undefined;
  private begun: Promise<unknown> | undefined;
  private isOver = false;
  private reason: Error | undefined;

  /** @param begin the statements that begin the transaction */
  constructor(pool: pg.Pool, begin: string) {
    this.pool = pool;
    this.begin = begin;
  }

  take(): Promise<pg.PoolClient> {
    this.taken ??= this.open();
    return this.taken;
  }

  /** Runs a statement after those before it, which need not be answered yet. */
  async query<R extends object>(statement: pg.QueryConfig): Promise<R[]> {
    // A statement still running would end up in the next transaction on this connection.
    if (this.isOver) throw this.reason ?? new Error('This transaction is over.');
    const client = await this.take();
    return (await client.query<R>(statement)).rows;
  }

  /** Refuses further statements. @param reason why the transaction must not be committed either */
  end(reason?: Error): void {
    this.isOver = true;
    this.reason ??= reason;
  }

  /** @param last a statement still in flight: if it fails, so does the commit */
  async commit(last?: Promise<unknown>): Promise<void> {
    if (this.reason) throw this.reason;
    if (!this.taken) return void (await last);
    const client = await this.taken;
    const { ended } = await pipelined({ begun: this.begun, last, ended: client.query('COMMIT') });
    requireCommitted(ended);
    client.release();
  }

  async abandon(error: unknown): Promise<void> {
    await abandon(await this.taken?.catch(() => undefined), error);
  }

  private async open(): Promise<pg.PoolClient> {
    const client = await this.pool.connect();
    // Not awaited: it is pipelined with the first statement, as the commit is with the last.
    this.begun = client.query(this.begin);
    this.begun.catch(() => {});
    return client;
  }
}

/** A transaction in progress: plain SQL, and entities on demand, which most transactions do not need. */
export class Transaction {
  readonly rows: Rows;
  /** A statement that is not awaited: it is pipelined with the commit, which fails if it does. */
  last: Promise<unknown> = Promise.resolve();
  private readonly lease: Lease;
  private readonly begin: () => EntityManager;
  private entities: EntityManager | undefined;
  private queries: Queries | undefined;

  /** @param begin creates the entity manager of this transaction */
  constructor(rows: Rows, lease: Lease, begin: () => EntityManager) {
    this.rows = rows;
    this.lease = lease;
    this.begin = begin;
  }

  /** Whatever its work does from here on, the transaction is rolled back, and fails with this error. @returns it */
  abort<E extends Error>(reason: E): E {
    this.lease.end(reason);
    return reason;
  }

  get em(): EntityManager {
    this.entities ??= this.begin();
    return this.entities;
  }

  /** Typed queries in this transaction. Flush entities first if the query has to see them. */
  get db(): Queries {
    this.queries ??= queriesOf(this.em);
    return this.queries;
  }

  /** Writes changes to entities, so that plain SQL that follows sees them. */
  async flush(): Promise<void> {
    await this.entities?.flush();
  }

  /** Discards changes to entities that are not written yet. */
  clear(): void {
    this.entities?.clear();
  }
}

/**
 * The results of pipelined statements, by their names. It waits for all of them, so that none is in flight when the
 * transaction ends.
 * @throws the original failure, not one that only followed from it
 */
export async function pipelined<T extends Record<string, unknown>>(
  statements: T,
): Promise<{ [Name in keyof T]: Awaited<T[Name]> }> {
  const settled = await Promise.allSettled(Object.values(statements));
  const reasons = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !isAftermath(reason)) ?? reasons[0];
  const results = await Promise.all(Object.values(statements));
  // Lists, not pairs: from pairs TypeScript derives a record whose values are all of one type.
  return Object.fromEntries(Object.keys(statements).map((name, index): unknown[] => [name, results[index]]));
}

/** PostgreSQL answers COMMIT with ROLLBACK if an earlier statement failed, even if nobody noticed that. */
export function requireCommitted(ended: pg.QueryResult): void {
  if (ended.command !== 'COMMIT') throw new Error('The transaction was rolled back: one of its statements had failed.');
}

/** Rolls back, unless the connection itself failed or takes no writes. */
export async function abandon(client: pg.PoolClient | undefined, error: unknown): Promise<void> {
  if (!client) return;
  const isLost = isUnavailable(error instanceof AppError ? error.cause : error);
  try {
    if (!isLost) await client.query('ROLLBACK');
    client.release(isLost);
  } catch {
    client.release(true);
  }
}

export const dialectOf = (pool: PostgresPool): PostgresDialect => new PostgresDialect({ pool });

/** Makes an entity manager read and write on the connection of a transaction. */
export function onConnection(em: EntityManager, lease: Lease): EntityManager {
  const pool: PostgresPool = {
    async connect() {
      const client = await lease.take();
      return { query: client.query.bind(client), release() {} };
    },
    end: async () => {},
    options: {},
  };
  em.setTransactionContext(new Kysely({ dialect: dialectOf(pool) }));
  return em;
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import type pg from 'pg';
import { AppError } from '../contract/errors.ts';
import { isAftermath, isUnavailable } from './failures.ts';
import { type Queries, queriesOf } from './queries.ts';

/** Runs one SQL statement with $1-style parameters and returns its rows. `R` states the selected columns. */
export type Rows = <R extends object = Record<string, never>>(text: string, values?: unknown[]) => Promise<R[]>;

/** A transaction in progress: plain SQL, and entities on demand, which most transactions do not need. */
export class Transaction {
  readonly rows: Rows;
  /** A statement that is not awaited: it is pipelined with the commit, which fails if it does. */
  last: Promise<unknown> = Promise.resolve();
  private readonly begin: () => EntityManager;
  private entities: EntityManager | undefined;
  private queries: Queries | undefined;

  /** @param begin creates the entity manager of this transaction */
  constructor(rows: Rows, begin: () => EntityManager) {
    this.rows = rows;
    this.begin = begin;
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
 * The results of pipelined statements. It waits for all of them, so that none is in flight when the transaction ends.
 * @throws the original failure, not one that only followed from it
 */
export async function pipelined<T extends readonly unknown[] | []>(statements: T) {
  const results = await Promise.allSettled(statements);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !isAftermath(reason)) ?? reasons[0];
  return Promise.all(statements);
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

/** Makes an entity manager read and write on a connection that is in a transaction. */
export function onConnection(em: EntityManager, connection: pg.PoolClient): EntityManager {
  const pool: PostgresPool = {
    connect: async () => ({ query: connection.query.bind(connection), release() {} }),
    end: async () => {},
    options: {},
  };
  em.setTransactionContext(new Kysely({ dialect: dialectOf(pool) }));
  return em;
}

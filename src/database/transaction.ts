import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import type pg from 'pg';
import { isAftermath } from './failures.ts';

/** Runs one SQL statement with $1-style parameters and gives its rows. `R` states the columns selected. */
export type Rows = <R extends object = Record<string, never>>(text: string, values?: unknown[]) => Promise<R[]>;

/** A transaction under way: plain SQL, and entities for those who ask for them, which most do not. */
export class Transaction {
  readonly rows: Rows;
  /** A statement that nobody waits for any more: it travels together with the commit, which it undoes where it fails. */
  last: Promise<unknown> = Promise.resolve();
  private readonly begin: () => EntityManager;
  private entities: EntityManager | undefined;

  /** @param begin makes the entities' manager of this transaction */
  constructor(rows: Rows, begin: () => EntityManager) {
    this.rows = rows;
    this.begin = begin;
  }

  get em(): EntityManager {
    this.entities ??= this.begin();
    return this.entities;
  }

  /** Writes what was done to entities: plain SQL that follows sees it. */
  async flush(): Promise<void> {
    await this.entities?.flush();
  }

  /** Forgets what was done to entities and is not written yet. */
  clear(): void {
    this.entities?.clear();
  }
}

/**
 * What statements that travel to PostgreSQL together come to. It waits for all of them, so that none is on its way when the
 * transaction ends.
 * @throws what failed, and not what failed only because of that
 */
export async function pipelined<T extends readonly unknown[] | []>(statements: T) {
  const results = await Promise.allSettled(statements);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !isAftermath(reason)) ?? reasons[0];
  return Promise.all(statements);
}

/** PostgreSQL answers a COMMIT with a ROLLBACK where a statement failed before, also if nobody looked at it. */
export function requireCommitted(ended: pg.QueryResult): void {
  if (ended.command !== 'COMMIT') throw new Error('The transaction was rolled back: one of its statements had failed.');
}

export const dialectOf = (pool: PostgresPool): PostgresDialect => new PostgresDialect({ pool });

/** Has a manager read and write its entities on a connection that is in a transaction. */
export function onConnection(em: EntityManager, connection: pg.PoolClient): EntityManager {
  const pool: PostgresPool = {
    connect: async () => ({ query: connection.query.bind(connection), release() {} }),
    end: async () => {},
    options: {},
  };
  em.setTransactionContext(new Kysely({ dialect: dialectOf(pool) }));
  return em;
}

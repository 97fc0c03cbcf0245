import type { PostgresCursor, PostgresPool, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { asDatabaseError } from './failures.ts';
import { Outage } from './outage.ts';
import { onlyReads } from './statements.ts';

/** Statements outside of transactions, on connections of their own. Reads run again if their connection breaks. */
export class SingleStatements {
  private readonly pool: pg.Pool;
  private readonly outage = new Outage();
  private closing = false;

  constructor(pool: pg.Pool) {
    this.pool = pool;
  }

  /** @throws AppError DATABASE_UNAVAILABLE, or the error of the statement */
  async run<R extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<R>> {
    const run = () => this.pool.query<R>(statement);
    if (onlyReads(statement.text)) return this.read(run);
    return run().catch((error) => Promise.reject(asDatabaseError(error)));
  }

  /** Runs a read, and again on another connection if one breaks. */
  async read<T>(read: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    return read().catch((error) => {
      if (this.closing) throw asDatabaseError(error);
      return this.outage.readAgain(error, begun, read);
    });
  }

  /** For entities and typed queries: each of their statements is one of these. */
  asPool(): PostgresPool {
    const single = this;
    function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
    function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
    function query(text: unknown, values: readonly unknown[] = []): unknown {
      return single.run({ text: String(text), values: [...values] });
    }
    return { connect: async () => ({ query, release() {} }), end: async () => {}, options: {} };
  }

  close(): void {
    this.closing = true;
  }
}

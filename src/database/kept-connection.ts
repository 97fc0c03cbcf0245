import type pg from 'pg';

/**
 * Lends connections of a pool to statements that often follow one another. The connection returned last is kept for the
 * rest of that turn of the event loop: a statement in the same turn gets it at once, while the pool would hand it over
 * only after all code that awaited the previous statement has continued.
 */
export class KeptConnection {
  private readonly pool: pg.Pool;
  private kept: pg.PoolClient | undefined;

  constructor(pool: pg.Pool) {
    this.pool = pool;
  }

  async take(): Promise<pg.PoolClient> {
    return this.takeKept() ?? (await this.pool.connect());
  }

  giveBack(client: pg.PoolClient): void {
    this.takeKept()?.release();
    this.kept = client;
    setImmediate(() => {
      if (this.kept === client) this.takeKept()?.release();
    });
  }

  private takeKept(): pg.PoolClient | undefined {
    const { kept } = this;
    this.kept = undefined;
    return kept;
  }
}

import type pg from 'pg';

/**
 * Gives connections of a pool to statements that often follow each other. The last one that was given back is kept for the
 * rest of that turn of the event loop: who comes in it has it at once, while the pool would give it only after all that was
 * waiting for the statement before has gone on.
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

import { Socket } from 'node:net';
import type pg from 'pg';
import { Silence } from '../infrastructure/silence.ts';

const lookMs = 1000;

/**
 * Ends connections on which nothing arrives for too long while they are in use. A server that hangs does not even enforce
 * its statement timeout, so callers would wait for ever. The driver's own limit, `query_timeout`, creates a timer for each
 * statement, whose references survive several garbage collections: two thirds of all collecting when pages are read.
 */
export class HungConnections {
  private readonly used = new Map<pg.PoolClient, Silence>();
  private readonly looks: number;
  private readonly timer: NodeJS.Timeout;

  /** @param limitMs longer than PostgreSQL's own time limits */
  constructor(pools: pg.Pool[], limitMs: number) {
    this.looks = Math.ceil(limitMs / lookMs);
    for (const pool of pools) {
      pool.on('acquire', (client) => this.used.set(client, new Silence()));
      pool.on('release', (_error, client) => this.used.delete(client));
      pool.on('remove', (client) => this.used.delete(client));
    }
    this.timer = setInterval(() => this.look(), lookMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    for (const [client, silence] of this.used) {
      const wire = wireOf(client);
      if (wire && silence.look(wire) >= this.looks) wire.destroy(hung());
    }
  }
}

const hung = () => Object.assign(new Error('PostgreSQL does not answer.'), { code: 'ETIMEDOUT' });

/** The driver has no public way to it. */
function wireOf(client: pg.PoolClient): Socket | undefined {
  const connection: unknown = Reflect.get(client, 'connection');
  const stream: unknown = typeof connection === 'object' && connection ? Reflect.get(connection, 'stream') : undefined;
  return stream instanceof Socket ? stream : undefined;
}

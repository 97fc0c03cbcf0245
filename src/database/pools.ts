import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Log } from '../infrastructure/log.ts';
import { takePart } from './serving.ts';

/**
 * Plans are kept with the prepared statements, and those made while a table was small would read all of it when it no
 * longer is, until PostgreSQL gets to counting it again. Every statement here has an index to go by.
 */
export const byIndexes = "set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)";
/**
 * A batch, or a page, takes less time than a plan for it, and left to itself PostgreSQL makes one for each as soon as it
 * takes that for a little better than the one for all.
 */
export const onceForAll = `${byIndexes}, set_config('plan_cache_mode', 'force_generic_plan', false)`;

type Verify = (client: pg.ClientBase, done: (error?: Error) => void) => void;

/**
 * What is done with each new connection. After a failover the address may lead to the old primary for a while: such a
 * connection would stay in its pool, and fail every change, long after the new one is there.
 */
export function preparing(configuration: string, serving: boolean): Verify {
  const first = serving ? `${takePart}, ${configuration}` : configuration;
  const text = `SELECT ${first}, current_setting('transaction_read_only') AS read_only`;
  return (client, done) => {
    client
      .query<{ read_only: string }>(text)
      .then(({ rows }) => done(rows[0]?.read_only === 'on' ? new AppError('DATABASE_UNAVAILABLE') : undefined), done);
  };
}

export function openPool(config: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool(config);
  // Without listeners an error ends the process; whoever uses the connection hears of it in any case.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => log.debug({ err: error }, 'An idle connection to PostgreSQL broke.'));
  return pool;
}

import pg from 'pg';
import type { Log } from '../infrastructure/log.ts';
import { advisoryLocks } from './advisory-locks.ts';

/** Settings of a connection, by their names in PostgreSQL; times are in ms. */
export type ConnectionSettings = Record<string, string | number>;

/**
 * Plans are kept with the prepared statements, and those made while a table was small would read all of it when it no
 * longer is, until PostgreSQL gets to counting it again. Every statement here has an index to go by.
 */
const byIndexes: ConnectionSettings = { enable_seqscan: 'off', jit: 'off' };
/**
 * A batch, or a page, takes less time than a plan for it, and left to itself PostgreSQL makes one for each as soon as it
 * takes that for a little better than the one for all.
 */
export const onceForAll: ConnectionSettings = { ...byIndexes, plan_cache_mode: 'force_generic_plan' };

type Verify = (client: pg.ClientBase, done: (error?: Error) => void) => void;

/**
 * What is done with each new connection. It is set here and not while connecting, where poolers such as PgBouncer refuse
 * settings that they do not know. After a failover the address may lead to the old primary for a while: such a
 * connection would stay in its pool, and fail every change, long after the new one is there.
 */
export function preparing(settings: ConnectionSettings, serving: boolean): Verify {
  const values = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  const text = `SELECT ${values.join(', ')}, current_setting('transaction_read_only') AS read_only`;
  const prepare = async (client: pg.ClientBase) => {
    const { rows } = await client.query<{ read_only: string }>(text);
    if (rows[0]?.read_only === 'on') throw takesNoWrites();
    // This one may have to wait, for as long as was just set at most.
    if (serving) await client.query('SELECT pg_advisory_lock_shared($1)', [advisoryLocks.serving]);
  };
  return (client, done) => void prepare(client).then(() => done(), done);
}

/** As PostgreSQL itself would say it, so that it is known for what it is whatever wraps it on its way. */
const takesNoWrites = () => Object.assign(new Error('PostgreSQL takes no writes just now.'), { code: '25006' });

export function openPool(config: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool(config);
  // Without listeners an error ends the process; whoever uses the connection hears of it in any case.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => log.debug({ err: error }, 'An idle connection to PostgreSQL broke.'));
  return pool;
}

import pg from 'pg';
import type { Log } from '../infrastructure/log.ts';
import type { Settings } from '../settings/settings.ts';
import { advisoryLocks } from './advisory-locks.ts';

/** Settings of a connection, by their names in PostgreSQL and in its units. */
export type ConnectionSettings = Record<string, string | number>;

/**
 * Plans are cached with the prepared statements. One made while a table was small would keep scanning it after it has
 * grown, until PostgreSQL analyses the table again. Every statement here has an index to use.
 */
const byIndexes: ConnectionSettings = { enable_seqscan: 'off', jit: 'off' };
/**
 * Planning takes longer than running a batch or a page, and left to itself PostgreSQL replans each time if it estimates
 * that plan to be a little better than the generic one.
 */
export const onceForAll: ConnectionSettings = { ...byIndexes, plan_cache_mode: 'force_generic_plan' };

/**
 * If a firewall or a crash silently cuts off a node, PostgreSQL notices after a minute, instead of the two hours of
 * most systems. Until then its connections count, and may hold locks.
 */
const keepAlive: ConnectionSettings = {
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};

/** Settings that the code relies on; operators may have set others for the role or the database. */
const reliedOn: ConnectionSettings = {
  DateStyle: 'ISO, MDY',
  array_nulls: 'on',
  default_transaction_isolation: 'read committed',
};

const listed = (settings: ConnectionSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(', ');

/** How long changes, and quick transactions, wait for a lock before they start over, as shares of `idleTransactionMs`. */
const lockWaitShares = { change: 2 / 3, quick: 1 / 12 };

/**
 * PostgreSQL's time limits for connections that only read, for those that change something, and for those of quick
 * transactions.
 */
export function limitsOf({ statementTimeoutMs, idleTransactionMs }: Settings['database']) {
  const reading = {
    statement_timeout: statementTimeoutMs,
    // A node that stalls inside a transaction, for example because it is frozen, keeps its logs locked.
    idle_in_transaction_session_timeout: idleTransactionMs,
  };
  // If several transactions of a frozen node wait for one lock, each would get it in turn and hold it until it is ended
  // for idling. So waits end sooner than that, and live nodes start over.
  const waiting = (share: number) => ({ ...reading, lock_timeout: Math.ceil(idleTransactionMs * share) });
  return { reading, changing: waiting(lockWaitShares.change), quick: waiting(lockWaitShares.quick) };
}

type Verify = (client: pg.ClientBase, done: (error?: Error) => void) => void;

/**
 * Sets up each new connection. Settings are not passed while connecting, where poolers such as PgBouncer refuse those they
 * do not know. After a failover the address may lead to the old primary for a while: a read-only connection is refused, or
 * it would stay in the pool and fail every change long after the new primary is up.
 */
export function preparing(settings: ConnectionSettings, serving: boolean): Verify {
  const values = listed({ ...reliedOn, ...settings, ...keepAlive });
  const text = `SELECT ${values}, current_setting('transaction_read_only') AS read_only`;
  const prepare = async (client: pg.ClientBase) => {
    const { rows } = await client.query<{ read_only: string }>(text);
    if (rows[0]?.read_only === 'on') throw takesNoWrites();
    // This may wait, at most for the time limit that was just set.
    if (serving) await client.query('SELECT pg_advisory_lock_shared($1)', [advisoryLocks.serving]);
  };
  return (client, done) => void prepare(client).then(() => done(), done);
}

/** Sets up each new connection to a replica. @param requireSame refuses servers that are no replica of this primary */
export function preparingReplica(
  settings: ConnectionSettings,
  requireSame: (client: pg.ClientBase) => Promise<void>,
): Verify {
  const text = `SELECT ${listed({ ...reliedOn, ...settings, ...keepAlive })}`;
  const prepare = async (client: pg.ClientBase) => {
    await client.query(text);
    await requireSame(client);
  };
  return (client, done) => void prepare(client).then(() => done(), done);
}

/** Not every version has all of them. */
const timeLimits = [
  ...['statement_timeout', 'lock_timeout', 'transaction_timeout'],
  ...['idle_in_transaction_session_timeout', 'idle_session_timeout'],
];

/** Sets up a connection for work without a time limit, regardless of the limits of role and database. */
export async function prepareLong(client: pg.ClientBase): Promise<void> {
  await client.query(`SELECT ${listed({ ...reliedOn, ...keepAlive })}`);
  await client.query(`SELECT set_config(name, '0', false) FROM pg_settings WHERE name = ANY($1)`, [timeLimits]);
}

/** With PostgreSQL's own code, so that it is recognised however it is wrapped on the way. */
const takesNoWrites = () => Object.assign(new Error('PostgreSQL takes no writes just now.'), { code: '25006' });

/** A pool whose broken connections are replaced, and do not end the process. */
export function openPool(config: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool(config);
  // Without listeners an error would end the process; users of the connection get the error anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => log.debug({ err: error }, 'An idle connection to PostgreSQL broke.'));
  return pool;
}

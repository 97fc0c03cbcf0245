import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Fault } from './faults.ts';

/** A process that gets no time for a while, as on a machine that swaps or moves. */
export const nodePause: Fault = {
  name: 'node-pause',
  async run({ nodes }, ms) {
    for (let round = 0; round < 3; round++) {
      const node = nodes[round % nodes.length];
      await delay(ms * 0.1);
      node?.signal('SIGSTOP');
      await delay(ms * 0.15);
      node?.signal('SIGCONT');
    }
    await delay(ms * 0.2);
  },
};

/** Redis forgets everything, drops its connections, or is full; it never goes away. */
export const redisDisturb: Fault = {
  name: 'redis-disturb',
  readable: true,
  async run({ redis }, ms) {
    const hand = new Redis(redis.url);
    const acts = [
      ['FLUSHALL'],
      ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
      ['SCRIPT', 'FLUSH'],
      ['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'],
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['CLIENT', 'PAUSE', '300', 'ALL'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
    ];
    for (const [command = '', ...args] of acts) {
      await delay(ms * 0.1);
      await hand.call(command, ...args);
    }
    await delay(ms * 0.2);
    hand.disconnect();
  },
};

/** Somebody locks the tables, ends all connections, and for a while the server takes no writes, as after a failover. */
export const postgresDisturb: Fault = {
  name: 'postgres-disturb',
  async run({ postgres }, ms) {
    const hand = new pg.Client(postgres.url);
    await hand.connect();
    const endOthers = () =>
      hand.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()',
      );
    await delay(ms * 0.1);
    await hand.query('BEGIN');
    await hand.query('LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
    await delay(ms * 0.15);
    await hand.query('COMMIT');
    for (let round = 0; round < 3; round++) {
      await endOthers();
      await delay(ms * 0.05);
    }
    await hand.query('ALTER DATABASE parley SET default_transaction_read_only = on');
    await endOthers();
    await delay(ms * 0.15);
    await hand.query('SET default_transaction_read_only = off');
    await hand.query('ALTER DATABASE parley RESET default_transaction_read_only');
    await delay(ms * 0.35);
    await hand.end();
  },
};

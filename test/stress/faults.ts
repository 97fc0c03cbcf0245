import { setTimeout as delay } from 'node:timers/promises';
import { nodePause, postgresDisturb, redisDisturb } from './disturbances.ts';
import type { Ledger } from './ledger.ts';
import type { Site } from './site.ts';
import { beSlow, sendTwice } from './special-faults.ts';
import type { Trial } from './trial.ts';

/** Something that goes wrong while messages are sent. */
export interface Fault {
  name: string;
  /** Does it, within about `ms`. */
  run(site: Site, ms: number, trial: Trial): Promise<void>;
  /** Nodes whose sockets it ends: those are not undisturbed. */
  touches?: 'all' | number[];
  /** Whether stock clients that are cut off must all be recovered. */
  recovers?: boolean;
  /** Whether the log can be read all the time, so that nothing may be late. */
  readable?: boolean;
  /** Whether people come and go meanwhile, change what they wrote, and open DMs; and some clients use long polling. */
  lively?: boolean;
  /** Characters added to each message. */
  padding?: number;
}

const jitter: Fault = {
  name: 'jitter',
  recovers: true,
  readable: true,
  async run(site, ms) {
    for (const wire of site.wires) wire.jitter(0, 20);
    const acts = [cutOne, cutAll, blackHole, vanish];
    for (const end = Date.now() + ms; Date.now() < end; await delay(300 + Math.random() * 500)) {
      await acts[Math.floor(Math.random() * acts.length)]?.(site);
    }
    for (const wire of site.wires) wire.jitter(0, 0);
  },
};

const oneOf = <T>(list: T[]): T | undefined => list[Math.floor(Math.random() * list.length)];

async function cutOne(site: Site): Promise<void> {
  oneOf(site.wires)?.cut();
}

async function cutAll(site: Site): Promise<void> {
  site.door.cut();
}

/** Nothing passes for a while; then everything arrives late. */
async function blackHole(site: Site): Promise<void> {
  const wire = oneOf(site.wires);
  wire?.hold();
  await delay(200 + Math.random() * 600);
  wire?.release();
}

/** Clients lose their connections, and the node does not notice. */
async function vanish(site: Site): Promise<void> {
  const gone = Math.floor(Math.random() * site.wires.length);
  site.wires[gone]?.hold();
  site.door.pin((gone + 1) % site.wires.length);
  site.door.cut();
  await delay(400 + Math.random() * 400);
  site.door.pin(undefined);
  site.wires[gone]?.release();
}

const redisRestart: Fault = {
  name: 'redis-restart',
  readable: true,
  async run({ redis }, ms) {
    await delay(ms * 0.15);
    await redis.restart();
    await delay(ms * 0.25);
    await redis.kill();
    await delay(ms * 0.25);
    await redis.restart();
    await delay(ms * 0.2);
  },
};

const redisPause: Fault = {
  name: 'redis-pause',
  readable: true,
  async run({ redis }, ms) {
    for (const part of [0.08, 0.3]) {
      await delay(ms * 0.15);
      redis.pause();
      await delay(ms * part);
      redis.resume();
    }
    await delay(ms * 0.2);
  },
};

const nodeKill: Fault = {
  name: 'node-kill',
  touches: [1],
  readable: true,
  async run({ nodes }, ms) {
    const [, victim] = nodes;
    if (!victim) return;
    for (let round = 0; round < Math.max(1, ms / 4000); round++) {
      await delay(500 + Math.random() * 500);
      await victim.kill();
      await victim.start();
    }
    await delay(ms * 0.1);
  },
};

const rollingRestart: Fault = {
  name: 'rolling-restart',
  touches: 'all',
  recovers: true,
  readable: true,
  async run({ nodes }, ms, { ledger }) {
    for (const [i, node] of nodes.entries()) {
      await delay((ms * 0.3) / nodes.length);
      const { code, ms: took } = await node.stop();
      if (code !== 0) ledger.broken.push(`node ${i} ended with ${code} on SIGTERM`);
      if (took > 10_000) ledger.broken.push(`node ${i} needed ${took} ms to end`);
      await node.start();
    }
    await delay(ms * 0.2);
  },
};

const postgresRestart: Fault = {
  name: 'postgres-restart',
  async run({ postgres }, ms) {
    await delay(ms * 0.2);
    await postgres.restart();
    await delay(ms * 0.2);
    await postgres.kill();
    await delay(ms * 0.1);
    await postgres.restart();
    await delay(ms * 0.2);
  },
};

const postgresPause: Fault = {
  name: 'postgres-pause',
  async run({ postgres }, ms) {
    for (const part of [0.1, 0.3]) {
      await delay(ms * 0.15);
      postgres.pause();
      await delay(ms * part);
      postgres.resume();
    }
    await delay(ms * 0.2);
  },
};

const none: Fault = {
  name: 'none',
  recovers: true,
  readable: true,
  run: (_site, ms) => delay(ms),
};

const slowConsumer: Fault = {
  name: 'slow-consumer',
  recovers: true,
  readable: true,
  padding: 15_000,
  run: beSlow,
};

const duplicateSends: Fault = {
  name: 'duplicate-sends',
  recovers: true,
  readable: true,
  run: sendTwice,
};

const single = [
  none,
  jitter,
  redisRestart,
  redisPause,
  nodeKill,
  rollingRestart,
  postgresRestart,
  postgresPause,
  nodePause,
  redisDisturb,
  postgresDisturb,
  slowConsumer,
  duplicateSends,
];

/** One after the other, without a pause to heal in. */
const all: Fault = {
  name: 'all',
  touches: 'all',
  async run(site, ms, trial) {
    const parts = [jitter, redisRestart, nodeKill, redisPause, postgresRestart, rollingRestart, postgresPause];
    for (const part of parts) await part.run(site, ms / parts.length, trial);
  },
};

export const faults: Fault[] = [...single, all];

/** Notes what should never be in a node's log. */
export function checkLogs({ nodes }: Site, ledger: Ledger): void {
  for (const [i, node] of nodes.entries()) {
    const failures = node.failures;
    if (failures.length > 0) ledger.broken.push(`node ${i} logged ${failures.length} errors: ${failures[0]}`);
    node.lines.length = 0;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { randomOf } from '../rig/random.ts';
import type { TcpProxy } from '../rig/tcp-proxy.ts';
import type { Fault } from './faults.ts';
import { Life } from './life.ts';
import type { Site } from './site.ts';

type Random = (below: number) => number;

/** Something that breaks for at most `ms` and is well again when this returns. */
type Disturbance = (site: Site, random: Random, ms: number) => Promise<void>;

/**
 * Two or three things at once that break, again and again, while people come and go, change what they wrote, and open DMs.
 * What breaks and for how long follows from the seed.
 */
export function randomFault(seed: number): Fault {
  return {
    name: `random ${seed}`,
    touches: 'all',
    lively: true,
    async run(site, ms, trial) {
      const random = randomOf(seed);
      const life = new Life(site, trial, random);
      for (const end = Date.now() + ms; Date.now() < end; await delay(random(800)))
        await breakSome(site, random, trial.ledger.story);
      for (const wire of allWires(site)) wire.jitter(0, 0);
      await life.stop();
    },
  };
}

async function breakSome(site: Site, random: Random, story: string[]): Promise<void> {
  const parts = Object.values(disturbances).filter((acts) => acts !== disturbances.lines || site.lines.length > 0);
  const count = 2 + random(2);
  const running: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    const [acts = {}] = parts.splice(random(parts.length), 1);
    const names = Object.keys(acts);
    const name = names[random(names.length)] ?? '';
    const [start, ms, own] = [random(600), 200 + random(2200), randomOf(random(2 ** 31))];
    story.push(`${i === 0 ? '| ' : ''}${name} ${ms}`);
    running.push(delay(start).then(() => acts[name]?.(site, own, ms)));
  }
  await Promise.all(running);
}

const pick = <T>(list: T[], random: Random): T | undefined => list[random(list.length)];

const allWires = (site: Site) => [...site.wires, ...site.lines.flatMap(({ redis, postgres }) => [redis, postgres])];

/** By what they break, so that no two of them meet. */
const disturbances: Record<string, Record<string, Disturbance>> = {
  nodes: {
    async 'node-kill'({ nodes }, random) {
      const node = pick(nodes, random);
      await node?.kill();
      await node?.start();
    },
    /** To its clients, Redis and PostgreSQL its connections stay open: nobody closed them. */
    async 'node-power-loss'({ nodes, wires, lines }, random) {
      const at = random(nodes.length);
      for (const wire of [wires[at], lines[at]?.redis, lines[at]?.postgres]) wire?.silence();
      await nodes[at]?.kill();
      await nodes[at]?.start();
    },
    async 'node-stop'({ nodes }, random, ms) {
      const node = pick(nodes, random);
      node?.signal('SIGSTOP');
      await delay(ms);
      node?.signal('SIGCONT');
    },
    async 'node-restart'({ nodes }, random) {
      const node = pick(nodes, random);
      await node?.stop();
      await node?.start();
    },
  },
  redis: {
    async 'redis-restart'({ redis }, _random, ms) {
      await redis.kill();
      await delay(ms);
      await redis.restart();
    },
    async 'redis-pause'({ redis }, _random, ms) {
      redis.pause();
      await delay(ms);
      redis.resume();
    },
    async 'redis-disturb'({ redis }, random, ms) {
      const acts = [
        ['FLUSHALL'],
        ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
        ['CLIENT', 'KILL', 'TYPE', 'normal'],
        ['SCRIPT', 'FLUSH'],
      ];
      const hand = new Redis(redis.url);
      hand.on('error', () => {});
      for (const end = Date.now() + ms; Date.now() < end; await delay(100 + random(400))) {
        const [command = '', ...args] = pick(acts, random) ?? [];
        await hand.call(command, ...args).catch(() => {});
      }
      hand.disconnect();
    },
  },
  postgres: {
    async 'postgres-restart'({ postgres }) {
      await postgres.restart();
    },
    async 'postgres-kill'({ postgres }, _random, ms) {
      await postgres.kill();
      await delay(ms / 2);
      await postgres.restart();
    },
    async 'postgres-pause'({ postgres }, _random, ms) {
      postgres.pause();
      await delay(ms);
      postgres.resume();
    },
    async 'table-lock'({ postgres }, random, ms) {
      const table = pick(['messages', 'log_entries', 'streams', 'dm_channels', 'channels', 'channel_members'], random);
      await withHand(postgres.url, async (hand) => {
        await hand.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
        await delay(ms);
        await hand.query('COMMIT');
      });
    },
    async 'end-backends'({ postgres }, random, ms) {
      const others = 'WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()';
      await withHand(postgres.url, async (hand) => {
        for (const end = Date.now() + ms; Date.now() < end; await delay(200 + random(600)))
          await hand.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity ${others}`);
      });
    },
  },
  clients: {
    async jitter({ wires }, random, ms) {
      const most = 1 + random(60);
      for (const wire of wires) wire.jitter(0, most);
      await delay(ms);
      for (const wire of wires) wire.jitter(0, 0);
    },
    async 'cut-all'({ door }, random, ms) {
      for (const end = Date.now() + ms; Date.now() < end; await delay(20 + random(500))) door.cut();
    },
    async 'cut-one'({ wires }, random, ms) {
      for (const end = Date.now() + ms; Date.now() < end; await delay(20 + random(300))) pick(wires, random)?.cut();
    },
    async 'black-hole'({ wires }, random, ms) {
      const wire = pick(wires, random);
      wire?.hold();
      await delay(ms / 2);
      wire?.release();
    },
    async vanish({ wires, door }, random, ms) {
      const gone = random(wires.length);
      wires[gone]?.hold();
      door.pin((gone + 1) % wires.length);
      door.cut();
      await delay(ms / 2);
      door.pin(undefined);
      wires[gone]?.release();
    },
  },
  lines: {
    async 'away-from-redis'({ lines }, random, ms) {
      await hold(pick(lines, random)?.redis, ms);
    },
    async 'away-from-postgres'({ lines }, random, ms) {
      await hold(pick(lines, random)?.postgres, ms);
    },
    async 'cut-from-redis'({ lines }, random, ms) {
      await refuse(pick(lines, random)?.redis, ms);
    },
    async 'cut-from-postgres'({ lines }, random, ms) {
      await refuse(pick(lines, random)?.postgres, ms);
    },
    async 'silent-to-redis'({ lines }, random) {
      pick(lines, random)?.redis.silence();
    },
    async 'silent-to-postgres'({ lines }, random) {
      pick(lines, random)?.postgres.silence();
    },
  },
};

async function withHand(url: string, work: (hand: pg.Client) => Promise<void>): Promise<void> {
  const hand = new pg.Client(url);
  hand.on('error', () => {});
  await hand.connect();
  await work(hand);
  await hand.end();
}

async function hold(wire: TcpProxy | undefined, ms: number): Promise<void> {
  wire?.hold();
  await delay(ms);
  wire?.release();
}

async function refuse(wire: TcpProxy | undefined, ms: number): Promise<void> {
  wire?.refuse(true);
  wire?.cut();
  await delay(ms);
  wire?.refuse(false);
}

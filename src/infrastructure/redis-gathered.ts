import type { ChainableCommander } from 'ioredis';
import { forgiven, type RedisClient } from './redis-clients.ts';

/** How many commands, or names of channels, leave in one write. */
const atOnce = 500;

interface Waiting {
  command: [name: string, ...args: (string | number)[]];
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * Sends the commands of one turn of the event loop in one write, in order: thousands of clients that leave or return at
 * once would cost a system call each. In a cluster each command goes its own way, since keys are on different servers.
 */
export class GatheredCommands {
  private readonly client: RedisClient;
  private waiting: Waiting[] = [];

  constructor(client: RedisClient) {
    this.client = client;
  }

  /** @throws Error of the command, or of the connection */
  run(...command: Waiting['command']): Promise<unknown> {
    if (this.client.isCluster) return this.client.call(...command);
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(() => this.send());
      this.waiting.push({ command, resolve, reject });
    });
  }

  private send(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (let at = 0; at < waiting.length; at += atOnce) void this.sendSome(waiting.slice(at, at + atOnce));
  }

  private async sendSome(some: Waiting[]): Promise<void> {
    try {
      const pipeline: ChainableCommander = this.client.pipeline();
      for (const { command } of some) pipeline.call(...command);
      const answers = (await pipeline.exec()) ?? [];
      some.forEach(({ resolve, reject }, index) => {
        const [error, answer] = answers[index] ?? [new Error('Redis did not answer.'), null];
        if (error) reject(error);
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}

/**
 * Subscribes a connection to channels, and ends that: all that is asked for in one turn of the event loop goes out in
 * one command. People who arrive together come with a room each. In a cluster channels are on different servers.
 */
export class GatheredSubscriptions {
  private readonly client: RedisClient;
  /** Whether each channel is to be subscribed to from the end of this turn on: the last word counts. */
  private asked = new Map<string, boolean>();
  private sent: Promise<void> = Promise.resolve();

  constructor(client: RedisClient) {
    this.client = client;
  }

  /** Resolves when Redis has confirmed it; never rejects, and lasts across reconnects. */
  async subscribe(channel: string): Promise<void> {
    if (this.client.isCluster) {
      await this.client.ssubscribe(channel).catch((error) => forgiven(this.client, error));
      return;
    }
    await this.ask(channel, true);
  }

  async unsubscribe(channel: string): Promise<void> {
    if (this.client.isCluster) await this.client.sunsubscribe(channel).catch(() => 0);
    else await this.ask(channel, false);
  }

  private async ask(channel: string, isWanted: boolean): Promise<void> {
    // While it connects ioredis would send it before the check that Redis is ready, which then fails; now it is queued.
    if (this.client.status !== 'ready') return this.sendAll([[channel, isWanted]]);
    if (this.asked.size === 0)
      this.sent = new Promise((resolve) => setImmediate(() => void this.send().finally(resolve)));
    this.asked.set(channel, isWanted);
    return this.sent;
  }

  private send(): Promise<void> {
    const asked = [...this.asked];
    this.asked = new Map();
    return this.sendAll(asked);
  }

  private async sendAll(asked: [channel: string, isWanted: boolean][]): Promise<void> {
    const named = (wanted: boolean) => asked.flatMap(([channel, isWanted]) => (isWanted === wanted ? [channel] : []));
    const ended = inPieces(named(false)).map((some) => this.client.unsubscribe(...some).catch(() => 0));
    await Promise.all([...ended, ...inPieces(named(true)).map((some) => this.client.subscribe(...some))]);
  }
}

function inPieces(names: string[]): string[][] {
  const pieces: string[][] = [];
  for (let at = 0; at < names.length; at += atOnce) pieces.push(names.slice(at, at + atOnce));
  return pieces;
}

import { randomBytes } from 'node:crypto';
import { type RedisClient, type RedisPlace, redisClient } from './redis-clients.ts';

const answerMs = 1000;
/** How long a scout's value is kept, in ms. */
const keptMs = 10_000;

/**
 * Checks whether a new connection leads to the same Redis as the open ones. After a failover these may still be with
 * the old primary: isolated, it takes writes and passes messages on, but only among its own clients.
 */
export class RedisScout {
  private readonly place: RedisPlace;
  private readonly commands: RedisClient;
  private readonly key: string;
  private running = false;

  /** @param key one that only this node writes */
  constructor(place: RedisPlace, commands: RedisClient, key: string) {
    this.place = place;
    this.commands = commands;
    this.key = key;
  }

  /** @returns whether there is another Redis to switch to, which takes writes; never rejects */
  async findsAnother(): Promise<boolean> {
    // A cluster's client keeps looking for its servers by itself.
    if (this.running || this.place.cluster || this.commands.status !== 'ready') return false;
    this.running = true;
    try {
      // No answer once may be slowness; no answer twice, while a new connection gets one, means that these hang.
      return (await this.compare()) ?? (await this.compare()) ?? true;
    } finally {
      this.running = false;
    }
  }

  /** @returns whether the open connections see another value than a new one; undefined: they do not answer */
  private async compare(): Promise<boolean | undefined> {
    const mark = randomBytes(6).toString('hex');
    if (!(await this.write(mark)) || this.commands.status !== 'ready') return false;
    return this.commands.get(this.key).then(
      (found) => found !== mark,
      () => undefined,
    );
  }

  private async write(mark: string): Promise<boolean> {
    const client = redisClient(this.place, 'once', answerMs);
    // A failure is the answer.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.set(this.key, mark, 'PX', keptMs);
      return true;
    } catch {
      return false;
    } finally {
      client.disconnect();
    }
  }
}

import type { RedisClient } from './redis-clients.ts';
import { within } from './within.ts';

interface Round {
  /** The message of this round; those of earlier rounds do not count. */
  text: string;
  missing: Set<RedisClient>;
  done: () => void;
}

/**
 * Checks whether this node's messages arrive at its subscribers. Each is a connection of its own: after a failover one
 * of them may still be with a server that nobody writes to any more, but that still answers pings.
 */
export class RedisEcho {
  private readonly publish: (text: string) => Promise<unknown>;
  private readonly subscribers: RedisClient[];
  private round: Round = { text: '', missing: new Set(), done: () => {} };
  private rounds = 0;

  /** @param publish publishes on the channel whose messages are passed to `heard` */
  constructor(subscribers: RedisClient[], publish: (text: string) => Promise<unknown>) {
    this.subscribers = subscribers;
    this.publish = publish;
  }

  /** A subscriber got this on the channel. */
  heard(subscriber: RedisClient, text: string): void {
    if (text !== this.round.text) return;
    this.round.missing.delete(subscriber);
    if (this.round.missing.size === 0) this.round.done();
  }

  /** @returns whether all of them receive it within `ms` */
  async reaches(ms: number): Promise<boolean> {
    const text = String(++this.rounds);
    const all = new Promise<void>((done) => {
      this.round = { text, missing: new Set(this.subscribers), done };
    });
    await this.publish(text);
    return within(all, ms);
  }
}

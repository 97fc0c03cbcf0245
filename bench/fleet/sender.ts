import type { RawClient } from '../client.ts';
import { messageFor, pause, text } from '../load.ts';
import type { Subject } from '../subject.ts';
import { marked, monotonic, mostMessages } from './orders.ts';

/** A message that was acknowledged; times are of the system's monotonic clock, in ms. */
export interface Sent {
  number: number;
  at: number;
  ackedAt: number;
}

const againMs = 50;

/** Somebody who sends numbered messages to a channel and repeats each until it is acknowledged, on any of the servers. */
export class Sender {
  readonly sent: Sent[] = [];
  private readonly subject: Subject;
  private readonly channelId: string;
  private client: Promise<RawClient> | null = null;
  private server = 0;
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly running: Promise<void>[] = [];

  constructor(subject: Subject, channelId: string) {
    this.subject = subject;
    this.channelId = channelId;
  }

  start(perSecond: number): void {
    this.timer = setInterval(() => {
      if (this.count < mostMessages) this.running.push(this.send());
    }, 1000 / perSecond);
  }

  /** Waits until all is acknowledged. @returns the numbers of the messages */
  async stop(): Promise<number[]> {
    clearInterval(this.timer);
    await Promise.all(this.running);
    return this.sent.map(({ number }) => number);
  }

  /** @returns once it is acknowledged */
  async send(): Promise<void> {
    const number = this.count++;
    const payload = { ...messageFor(this.subject, this.channelId, marked(number) + text), nonce: `bench-${number}` };
    const at = monotonic();
    while (!(await this.attempt(payload))) await pause(againMs);
    this.sent.push({ number, at, ackedAt: monotonic() });
  }

  private async attempt(payload: object): Promise<boolean> {
    this.client ??= this.subject.connect(0, this.server);
    const { client } = this;
    const isSent = await client.then((open) => open.emit('message:send', payload)).catch(() => ({ ok: false }));
    if (!isSent.ok && this.client === client) {
      this.client = null;
      this.server = (this.server + 1) % this.subject.servers.length;
    }
    return isSent.ok;
  }
}

import { RawClient } from '../client.ts';
import { pause } from '../load.ts';
import { monotonic, mostMessages, numberOf, type Opening } from './orders.ts';

/** As Socket.IO's clients do it: a second, then twice as long each time, up to five, each half more or less. */
const backoffMs = (attempt: number) => Math.min(1000 * 2 ** attempt, 5000) * (0.5 + Math.random());

/** What the members of a process know together. */
export interface Shared {
  opening: Opening;
  /** The highest number of a message that any of them has. */
  newest: number;
  onMessage(number: number): void;
}

/** One person's client, which comes back when its connection ends, with what Socket.IO's recovery needs. */
export class Member {
  returned = 0;
  recovered = 0;
  isReady = false;
  /** When it was back in its channels, and when it had all that it had missed by then. */
  backAt = 0;
  completeAt = 0;
  longestGap = 0;
  /** How often it got each message. */
  received: Uint8Array | null = null;
  private readonly shared: Shared;
  private readonly index: number;
  private readonly token: string;
  private client: RawClient | null = null;
  private past = { events: 0, bytes: 0 };
  private lastAt = 0;
  /** It is complete once it has the messages up to this one. */
  private target = 0;
  private isClosed = false;

  constructor(shared: Shared, index: number, token: string) {
    this.shared = shared;
    this.index = index;
    this.token = token;
  }

  get events(): number {
    return this.past.events + (this.client?.events ?? 0);
  }

  get bytes(): number {
    return this.past.bytes + (this.client?.bytes ?? 0);
  }

  /** @throws Error if it is refused */
  async open(): Promise<void> {
    const { channels } = this.shared.opening;
    const before = this.client;
    const auth = { token: this.token, ...before?.recovery };
    const client = await this.connect(auth);
    const { pid } = client.recovery;
    const isRecovered = pid !== undefined && pid === before?.recovery.pid;
    if (isRecovered) client.recovery.offset ??= before?.recovery.offset;
    else for (const channelId of channels) await client.emit('channel:join', { channelId });
    if (!client.isOpen) throw new Error('The connection ended before the client was in its channels.');
    if (before) this.past = { events: this.events, bytes: this.bytes };
    if (isRecovered) this.recovered++;
    this.client = client;
    this.isReady = true;
    client.onEnd = () => void this.comeBack();
  }

  /** Keeps which messages it gets, from now on. */
  watch(): void {
    this.received = new Uint8Array(mostMessages);
    this.lastAt = 0;
    if (this.client) this.listen(this.client);
  }

  cut(): void {
    this.client?.cut();
  }

  close(): void {
    this.isClosed = true;
    this.client?.close();
  }

  /** As a load balancer does it: to its own node, or to the next one if that one is away. */
  private async connect(auth: object): Promise<RawClient> {
    const { ports } = this.shared.opening;
    for (let at = 1; ; at++) {
      const port = ports[(this.index + at) % ports.length] ?? 0;
      const trying = RawClient.connect(port, auth, (fresh) => this.listen(fresh));
      const client = await (at < ports.length ? trying.catch(() => null) : trying);
      if (client) return client;
    }
  }

  private listen(client: RawClient): void {
    if (!this.received) return;
    client.recovers = true;
    client.onEvent = (text) => this.take(text);
  }

  private async comeBack(): Promise<void> {
    this.isReady = false;
    this.completeAt = 0;
    for (let attempt = 0; !this.isReady && !this.isClosed; attempt++) {
      await pause(backoffMs(attempt));
      if (this.isClosed) return;
      await this.open().catch(() => {});
    }
    this.returned++;
    this.backAt = monotonic();
    this.target = this.shared.newest;
    this.complete();
  }

  private take(event: string): void {
    const number = numberOf(event);
    if (number === undefined || !this.received || number >= mostMessages) return;
    this.received[number] = (this.received[number] ?? 0) + 1;
    this.shared.newest = Math.max(this.shared.newest, number);
    this.shared.onMessage(number);
    const now = monotonic();
    if (this.lastAt > 0) this.longestGap = Math.max(this.longestGap, now - this.lastAt);
    this.lastAt = now;
    if (this.completeAt === 0 && this.isReady) this.complete();
  }

  private complete(): void {
    const { received } = this;
    if (!received || received[this.target] === 0) return;
    if (received.subarray(0, this.target).every((times) => times > 0)) this.completeAt = monotonic();
  }
}

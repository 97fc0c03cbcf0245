import { RawClient } from '../client.ts';
import { percentile } from '../load.ts';

/**
 * A process of its own: a thousand sockets of 50 people, who are all in 20 channels, and together say some 40 messages a
 * second. Each is measured from the send to its arrival at somebody else.
 */
const perSecond = 40;
/** So long is waited for what was sent last. */
const lastMs = 5000;

/** What the run tells it first. */
export interface HonestStart {
  port: number;
  tokens: string[];
  channels: string[];
}

/** What it says of the time since it was last asked; in ms. */
export interface HonestFigures {
  p50: number;
  p99: number;
  max: number;
  messages: number;
  /** Messages that had not arrived after seconds, and sockets that were cut. */
  lost: number;
}

interface Room {
  channelId: string;
  /** Who speaks, by turns; the one who is measured is not among them. */
  speakers: RawClient[];
}

class Load {
  private readonly rooms: Room[] = [];
  private readonly under = new Map<string, number>();
  private waits: number[] = [];
  private count = 0;

  async open({ port, tokens, channels }: HonestStart): Promise<void> {
    for (const channelId of channels) {
      const clients = await Promise.all(tokens.map((token) => RawClient.connect(port, { token })));
      await Promise.all(clients.map((client) => client.emit('channel:join', { channelId })));
      const [listener, ...speakers] = clients;
      if (listener) listener.onEvent = (text) => this.arrived(text);
      this.rooms.push({ channelId, speakers });
    }
  }

  speak(): void {
    setInterval(() => this.say(), 1000 / perSecond);
  }

  private say(): void {
    const n = this.count++;
    const room = this.rooms[n % this.rooms.length];
    const speaker = room?.speakers[Math.floor(n / this.rooms.length) % room.speakers.length];
    const content = `A message with the number #${n}# that people write in a chat.`;
    this.under.set(String(n), performance.now());
    void speaker?.emit('message:send', { channelId: room?.channelId, content });
  }

  private arrived(text: string): void {
    if (!text.startsWith('42["message:new"')) return;
    const [, n = ''] = /number #(\d+)#/.exec(text) ?? [];
    const sent = this.under.get(n);
    if (sent === undefined) return;
    this.under.delete(n);
    this.waits.push(performance.now() - sent);
  }

  async figures(): Promise<HonestFigures> {
    const upTo = this.count;
    const late = () => [...this.under.keys()].filter((n) => Number(n) < upTo);
    for (const end = Date.now() + lastMs; late().length > 0 && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const lost = late();
    for (const n of lost) this.under.delete(n);
    const { waits } = this;
    this.waits = [];
    const [p50, p99, max] = [0.5, 0.99].map((share) => percentile(waits, share)).concat(waits.reduce(larger, 0));
    return { p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0, messages: waits.length, lost: lost.length };
  }
}

const larger = (one: number, other: number) => Math.max(one, other);

const load = new Load();
process.on('message', async (message: HonestStart | 'figures') => {
  if (message === 'figures') {
    process.send?.(await load.figures());
    return;
  }
  await load.open(message);
  load.speak();
  process.send?.('ready');
});

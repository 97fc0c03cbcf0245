import { until } from '../rig/until.ts';
import type { Loose } from './person.ts';

/** A part of each request of python-socketio, by which it is known. */
export const pythonQuery = `&t=${Date.now() / 1000 + 0.0001}`;

/** A client by long polling that is no library: Engine.IO's requests alone. */
export class RawPoller {
  /** Every packet that came, as it came. */
  readonly packets: string[] = [];
  /** The most of them that came with one answer. */
  mostAtOnce = 0;
  /** The answer that ended it; null: it goes on. */
  end: { status: number; body: unknown } | null = null;
  private readonly session: string;

  private constructor(session: string) {
    this.session = session;
  }

  /** @param query of each request, beside what Engine.IO needs */
  static async open(url: string, token: string, query = ''): Promise<RawPoller> {
    const address = `${url}/socket.io/?EIO=4&transport=polling${query}`;
    const opened = await (await fetch(address)).text();
    const { sid } = JSON.parse(opened.slice(1));
    const poller = new RawPoller(`${address}&sid=${sid}`);
    await poller.send(`40${JSON.stringify({ token })}`);
    void poller.poll();
    await until(() => poller.event('ready'), { message: 'not ready' });
    return poller;
  }

  async send(packet: string): Promise<void> {
    await (await fetch(this.session, { method: 'POST', body: packet })).text();
  }

  async join(channelId: string): Promise<void> {
    await this.send(`42${JSON.stringify(['channel:join', { channelId }])}`);
    await until(() => this.event('presence:snapshot'), { message: 'not in the channel' });
  }

  /** All arguments of the first event of this name. */
  event(name: string): unknown[] | undefined {
    return this.events(name)[0];
  }

  /** All arguments of each event of this name, in order. */
  events(name: string): Loose[][] {
    const texts = this.packets.filter((packet) => packet.startsWith('42')).map((packet) => packet.slice(2));
    const events: Loose[][] = texts.map((text) => JSON.parse(text));
    return events.filter(([event]) => event === name).map(([, ...rest]) => rest);
  }

  close(): Promise<void> {
    return this.send('1');
  }

  private take(packets: string[]): void {
    this.packets.push(...packets);
    this.mostAtOnce = Math.max(this.mostAtOnce, packets.length);
  }

  private async poll(): Promise<void> {
    while (!this.end) {
      const answer = await fetch(this.session);
      const text = await answer.text();
      if (answer.ok) this.take(text.split('\x1e'));
      else this.end = { status: answer.status, body: JSON.parse(text) };
    }
  }
}

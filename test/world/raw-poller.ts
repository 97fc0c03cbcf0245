import { until } from '../bench/until.ts';

/** A client by long polling that is no library: Engine.IO's requests alone. */
export class RawPoller {
  /** Every packet that came, as it came. */
  readonly packets: string[] = [];
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
    const events = this.packets
      .filter((packet) => packet.startsWith('42'))
      .map((packet) => JSON.parse(packet.slice(2)));
    return events.find(([event]) => event === name)?.slice(1);
  }

  close(): Promise<void> {
    return this.send('1');
  }

  private async poll(): Promise<void> {
    while (!this.end) {
      const answer = await fetch(this.session);
      const text = await answer.text();
      if (answer.ok) this.packets.push(...text.split('\x1e'));
      else this.end = { status: answer.status, body: JSON.parse(text) };
    }
  }
}

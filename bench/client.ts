import { WebSocket } from 'ws';

/**
 * A Socket.IO client with as little cost of its own as possible, so that the load generator does not become what is
 * measured: events are counted, not parsed.
 */
export class RawClient {
  events = 0;
  /** Told when an event comes, with its text. */
  onEvent: ((text: string) => void) | null = null;
  private readonly socket: WebSocket;
  private readonly acks = new Map<number, (answer: { ok: boolean }) => void>();
  private nextId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
  }

  static connect(port: number, auth: object): Promise<RawClient> {
    const url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`;
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const client = new RawClient(socket);
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => client.receive(data, auth, () => resolve(client), reject));
    });
  }

  emit(event: string, payload: object): Promise<{ ok: boolean }> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.acks.set(id, resolve);
      this.socket.send(`42${id}${JSON.stringify([event, payload])}`);
    });
  }

  close(): void {
    this.socket.terminate();
  }

  private receive(data: Buffer, auth: object, connected: () => void, refused: (error: Error) => void): void {
    // "42": an event, by far the most common.
    if (data[0] === 0x34 && data[1] === 0x32) {
      this.events++;
      this.onEvent?.(data.toString());
      return;
    }
    const text = data.toString();
    if (text.startsWith('0')) this.socket.send(`40${JSON.stringify(auth)}`);
    else if (text === '2') this.socket.send('3');
    else if (text.startsWith('40')) connected();
    else if (text.startsWith('44')) refused(new Error(text));
    else this.acknowledge(text);
  }

  private acknowledge(text: string): void {
    const [, id, answer] = /^43(\d+)(.*)$/s.exec(text) ?? [];
    if (id === undefined || answer === undefined) return;
    this.acks.get(Number(id))?.(JSON.parse(answer)[0]);
    this.acks.delete(Number(id));
  }
}

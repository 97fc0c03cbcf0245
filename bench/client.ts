import { connect, type Socket } from 'node:net';

/** The length of a frame's payload as its first bytes tell it (RFC 6455, section 5.2). */
const oneByte = 125;
const twoBytes = 126;
const text = 0x81;
const closing = 0x88;
const patienceMs = 20_000;

/** Addresses of this machine that connections come from by turns: each has ports of its own, some 28 000 at a time. */
const addresses = 64;
let turn = 0;

/** With what a client comes back so that the server gives it what it missed (Socket.IO's connection state recovery). */
export interface Recovery {
  pid?: string;
  offset?: string;
}

/**
 * A Socket.IO client over a TCP connection with as little cost of its own as possible, so that the load generator does
 * not become what is measured: events are counted, not parsed. What it sends is masked by zeros, so as it is.
 */
export class RawClient {
  events = 0;
  bytes = 0;
  /** Told when an event comes, with its text. */
  onEvent: ((text: string) => void) | null = null;
  /** Told when the connection ends without `close`. */
  onEnd: (() => void) | null = null;
  /** Whether the offset of the newest event is kept. */
  recovers = false;
  recovery: Recovery = {};
  private readonly socket: Socket;
  private rest: Buffer | null = null;
  private isUpgraded = false;
  private readonly acks = new Map<number, (answer: { ok: boolean }) => void>();
  private nextId = 0;
  private connected: (() => void) | null = null;
  private refused: ((error: Error) => void) | null = null;
  private auth: string;

  private constructor(port: number, auth: object) {
    this.auth = JSON.stringify(auth);
    turn = (turn + 1) % addresses;
    this.socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.1.${turn + 1}`, noDelay: true });
    this.socket.setTimeout(patienceMs, () => this.socket.destroy());
    this.socket.on('connect', () => this.socket.write(handshake));
    this.socket.on('data', (data) => this.take(data));
    this.socket.on('error', () => {});
    this.socket.on('close', () => this.end());
  }

  /**
   * @param prepare sets what the client does with events: those that it missed come as soon as it is let in
   * @throws Error if it is refused, or the connection ends before it is let in
   */
  static connect(port: number, auth: object, prepare: (client: RawClient) => void = () => {}): Promise<RawClient> {
    const client = new RawClient(port, auth);
    prepare(client);
    return new Promise((resolve, reject) => {
      client.refused = reject;
      client.connected = () => {
        client.socket.setTimeout(0);
        client.auth = '';
        client.refused = null;
        resolve(client);
      };
    });
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** @returns the ack; not ok if the connection ends before it comes */
  emit(event: string, payload: object): Promise<{ ok: boolean }> {
    if (!this.isOpen) return Promise.resolve({ ok: false });
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.acks.set(id, resolve);
      this.write(`42${id}${JSON.stringify([event, payload])}`);
    });
  }

  close(): void {
    this.onEnd = null;
    this.socket.destroy();
  }

  /** As a network does that fails: without a word, and no port is held afterwards. */
  cut(): void {
    this.socket.resetAndDestroy();
  }

  private end(): void {
    this.refused?.(new Error('The connection ended before the client was let in.'));
    for (const acked of this.acks.values()) acked({ ok: false });
    this.acks.clear();
    const { onEnd } = this;
    this.onEnd = null;
    onEnd?.();
  }

  private write(content: string): void {
    const length = Buffer.byteLength(content);
    const head = length <= oneByte ? 2 : 4;
    const frame = Buffer.alloc(head + 4 + length);
    frame[0] = text;
    frame[1] = 0x80 | (length <= oneByte ? length : twoBytes);
    if (length > oneByte) frame.writeUInt16BE(length, 2);
    frame.write(content, head + 4);
    this.socket.write(frame);
  }

  private take(chunk: Buffer): void {
    this.bytes += chunk.length;
    let data = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    if (!this.isUpgraded) {
      const end = data.indexOf('\r\n\r\n');
      this.isUpgraded = end >= 0;
      if (this.isUpgraded && data.indexOf(' 101 ') !== 8) this.socket.destroy();
      data = data.subarray(this.isUpgraded ? end + 4 : 0);
    }
    const taken = this.isUpgraded ? this.takeFrames(data) : 0;
    // A copy: a part of the chunk would keep all of it.
    this.rest = taken < data.length ? Buffer.from(data.subarray(taken)) : null;
  }

  /** @returns how many bytes the whole frames are */
  private takeFrames(data: Buffer): number {
    let at = 0;
    while (at + 2 <= data.length) {
      const short = data[at + 1] ?? 0;
      const head = short <= oneByte ? 2 : short === twoBytes ? 4 : 10;
      if (at + head > data.length) break;
      const length = head === 2 ? short : head === 4 ? data.readUInt16BE(at + 2) : data.readUInt32BE(at + 6);
      if (at + head + length > data.length) break;
      if (data[at] === closing) this.socket.destroy();
      else this.receive(data, at + head, at + head + length);
      at += head + length;
    }
    return at;
  }

  private receive(data: Buffer, from: number, to: number): void {
    // "42": an event, by far the most common.
    if (data[from] === 0x34 && data[from + 1] === 0x32) {
      this.events++;
      if (this.recovers) this.keepOffset(data, from, to);
      this.onEvent?.(data.toString('utf8', from, to));
      return;
    }
    const packet = data.toString('utf8', from, to);
    if (packet.startsWith('0')) this.write(`40${this.auth}`);
    else if (packet === '2') this.write('3');
    else if (packet.startsWith('40')) this.letIn(packet);
    else if (packet.startsWith('44')) this.refused?.(new Error(packet));
    else if (packet.startsWith('43')) this.acknowledge(packet);
    else if (packet === '1' || packet.startsWith('41')) this.socket.destroy();
  }

  private letIn(packet: string): void {
    this.recovery.pid = JSON.parse(packet.slice(2)).pid;
    this.connected?.();
  }

  /** An event that can be recovered has its offset as the last argument. */
  private keepOffset(data: Buffer, from: number, to: number): void {
    const end = to - 2;
    if (data[end] !== 0x22 || data[end + 1] !== 0x5d) return;
    const start = data.lastIndexOf('"', end - 1) + 1;
    if (start > from + 4) this.recovery.offset = data.toString('latin1', start, end);
  }

  private acknowledge(packet: string): void {
    const [, id, answer] = /^43(\d+)(.*)$/s.exec(packet) ?? [];
    if (id === undefined || answer === undefined) return;
    this.acks.get(Number(id))?.(JSON.parse(answer)[0]);
    this.acks.delete(Number(id));
  }
}

const handshake = [
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
  'Host: 127.0.0.1',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  '\r\n',
].join('\r\n');

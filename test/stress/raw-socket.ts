import type { Loose } from '../world/person.ts';

/** Undefined: the connection ended before. */
type Acked = (answer: Loose | undefined) => void;

/**
 * A socket that speaks the protocol by hand (Engine.IO 4, Socket.IO 5): no client library between the wire and what
 * is counted. It only listens, and never comes back.
 */
export class RawSocket {
  private readonly socket: WebSocket;
  private readonly onEvent: (event: string, data: Loose) => void;
  private readonly acks = new Map<number, Acked>();
  private count = 0;

  private constructor(socket: WebSocket, onEvent: (event: string, data: Loose) => void) {
    this.socket = socket;
    this.onEvent = onEvent;
  }

  /** @param onClosed called when the connection ended without `close` */
  static connect(
    url: string,
    token: string,
    onEvent: (event: string, data: Loose) => void,
    onClosed: () => void,
  ): Promise<RawSocket> {
    const address = `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    const socket = new WebSocket(address);
    const raw = new RawSocket(socket, onEvent);
    return new Promise((resolve, reject) => {
      socket.onerror = () => reject(new Error('A raw socket could not connect.'));
      socket.onclose = () => {
        for (const acked of raw.acks.values()) acked(undefined);
        onClosed();
      };
      socket.onmessage = ({ data }) => {
        const text = String(data);
        if (text.startsWith('0{')) socket.send(`40${JSON.stringify({ token })}`);
        else if (text.startsWith('44')) reject(new Error(`A raw socket was refused: ${text}`));
        else if (text.startsWith('40')) resolve(raw);
        else raw.take(text);
      };
    });
  }

  /** Emits an event and waits for its ack; undefined when the connection ends first. */
  emit(event: string, payload: object): Promise<Loose | undefined> {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.resolve(undefined);
    const id = this.count++;
    return new Promise((resolve) => {
      this.acks.set(id, resolve);
      this.socket.send(`42${id}${JSON.stringify([event, payload])}`);
    });
  }

  close(): void {
    this.socket.onclose = null;
    this.socket.close();
  }

  private take(text: string): void {
    if (text === '2') this.socket.send('3');
    else if (text.startsWith('42')) {
      const [event, data] = JSON.parse(text.slice(2));
      this.onEvent(event, data);
    } else if (text.startsWith('43')) {
      const start = text.indexOf('[');
      const id = Number(text.slice(2, start));
      this.acks.get(id)?.(JSON.parse(text.slice(start))[0]);
      this.acks.delete(id);
    }
  }
}

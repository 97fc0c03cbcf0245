import { once } from 'node:events';
import { PassThrough } from 'node:stream';

/** Proxies close connections that are silent for a minute, or for half of one. */
const beatMs = 15_000;
const backMs = 1000;

/** JSON-RPC messages as server-sent events. */
export class EventStream {
  readonly body = new PassThrough();
  private readonly beat: NodeJS.Timeout;

  constructor() {
    // The head of the answer goes out with the first bytes: until then the client would wait. This is when it comes back.
    this.body.write(`retry: ${backMs}\n\n`);
    this.beat = setInterval(() => this.body.write(': \n\n'), beatMs);
    this.body.once('close', () => clearInterval(this.beat));
  }

  /** Sends a message; resolves once a slow client has room for the next one. @throws Error when the signal aborts */
  async send(message: object, signal: AbortSignal): Promise<void> {
    const hasRoom = this.body.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (!hasRoom) await once(this.body, 'drain', { signal });
  }

  /** Ends it; a client that reads no more is not waited for. */
  end(): void {
    clearInterval(this.beat);
    if (this.body.writableNeedDrain) this.body.destroy();
    else this.body.end();
  }
}

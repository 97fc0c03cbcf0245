import { io, type Socket } from 'socket.io-client';
import { asParleyError, errorBody, networkError, ParleyError } from './errors.ts';

const connectTimeoutMs = 8000;
/** Short, since after a sleep the user is waiting. */
const probeTimeoutMs = 3000;
/** The size of a packet around the payload and the event's name. */
const packetBytes = 64;

export interface LinkHandlers {
  /** Any event of the server, in order of arrival. */
  event(name: string, data: object): void;
}

/**
 * One connection over Socket.IO, from opening to end; it never reconnects by itself. A connection that is silent for
 * longer than the server announced in the handshake (Socket.IO ends it then), or leaves a call unanswered, counts as
 * dead: where packets vanish, nothing else shows it.
 */
export class Link {
  private readonly socket: Socket;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  private end = () => {};
  /** What to do with pending calls when the connection ends. */
  private readonly unanswered = new Set<() => void>();
  private refusal: ParleyError | undefined;
  /** The server closes a connection on a longer packet. */
  private maxBytes = Number.POSITIVE_INFINITY;
  private readonly ackMs: number;
  /** Whether it was dropped because a call got no answer. */
  unheard = false;

  private constructor(socket: Socket, handlers: LinkHandlers, ackMs: number) {
    this.socket = socket;
    this.ackMs = ackMs;
    this.closed = new Promise((resolve) => {
      this.end = resolve;
    });
    socket.onAny((event: string, data: unknown) => {
      if (typeof data === 'object' && data !== null) handlers.event(event, data);
    });
    socket.on('disconnect', () => this.close());
    socket.on('connect_error', (error) => {
      this.refusal = refusalOf(error);
      this.close();
    });
    socket.io.engine.on('handshake', ({ maxPayload }) => {
      this.maxBytes = maxPayload;
    });
  }

  /**
   * Connects, and waits until the server sends `ready`.
   * @param auth the token, and the position of the user's own room, from which missed events are sent
   * @param wait how long calls wait for answers, and what aborts the wait for the connection
   * @throws ParleyError NETWORK when sockets do not get through; the server's code when it refuses
   */
  static async open(
    url: string,
    auth: object,
    handlers: LinkHandlers,
    { ackMs, signal }: { ackMs: number; signal: AbortSignal },
  ): Promise<Link> {
    // Socket.IO's own long polling needs sticky sessions; the Poller works with any balancer.
    const options = { auth, transports: ['websocket'], reconnection: false, forceNew: true };
    const link = new Link(io(url, { ...options, timeout: connectTimeoutMs }), handlers, ackMs);
    const abort = () => link.close();
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      await link.ready();
      return link;
    } catch (error) {
      link.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /**
   * Sends an event and waits for its ack. Given `take`, the answer is passed to it before any later event.
   * @throws ParleyError the server's; NETWORK when there was no answer: then the connection is dropped; BODY_TOO_LARGE for
   * what would end it, and the next one as well, since it is sent again
   */
  call<A>(event: string, payload: object, take: (answer: A) => void = () => {}): Promise<A> {
    return new Promise((resolve, reject) => {
      if (sizeOf(payload) + event.length + packetBytes > this.maxBytes) return reject(tooLarge());
      const giveUp = () => reject(networkError('no answer'));
      this.unanswered.add(giveUp);
      this.socket.timeout(this.ackMs).emit(event, payload, (failure: unknown, answer: A) => {
        this.unanswered.delete(giveUp);
        if (failure) {
          giveUp();
          this.unheard = true;
          return this.close();
        }
        const body = errorBody(answer);
        if (body) return reject(new ParleyError(body));
        take(answer);
        resolve(answer);
      });
    });
  }

  /** Checks whether the server is still there; without an answer soon the connection is dropped. */
  probe(): void {
    this.socket.timeout(probeTimeoutMs).emit('presence:subscribe', { userIds: [] }, (failure: unknown) => {
      if (failure) this.close();
    });
  }

  /** Sends without waiting for an answer. Not as volatile: that is also lost while something else is being sent. */
  tell(event: string, payload: object): void {
    if (this.socket.connected) this.socket.emit(event, payload);
  }

  close(): void {
    this.socket.disconnect();
    this.end();
    for (const giveUp of this.unanswered) giveUp();
    this.unanswered.clear();
  }

  private ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => this.close(), connectTimeoutMs);
      this.socket.once('ready', () => {
        clearTimeout(limit);
        resolve();
      });
      void this.closed.then(() => {
        clearTimeout(limit);
        reject(this.refusal ?? networkError('closed'));
      });
    });
  }
}

/** In bytes, as the server counts them. */
const sizeOf = (payload: object): number => new TextEncoder().encode(JSON.stringify(payload)).length;
const tooLarge = () => new ParleyError({ code: 'BODY_TOO_LARGE', error: 'This is too long to be sent at once.' });

/** The server's refusals have a code; a transport that does not get through has none. */
function refusalOf(error: Error & { data?: unknown }): ParleyError {
  const data = typeof error.data === 'object' && error.data !== null ? error.data : {};
  const body = errorBody({ ok: false, error: error.message, ...data });
  return body ? new ParleyError(body, 401) : asParleyError(error);
}

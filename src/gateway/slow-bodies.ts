import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { AppError } from '../contract/errors.ts';
import { Silence } from '../infrastructure/silence.ts';
import { refuseConnection } from './broken-requests.ts';

const checkMs = 1000;

interface SlowBodyLimits {
  /** Seconds in which a body must arrive; an upload may take longer. */
  bodySeconds: number;
  /** The longest pause of an upload without a byte, in seconds. */
  uploadIdleSeconds: number;
}

/** A body that is still arriving. */
interface Arrival {
  response: ServerResponse;
  silence: Silence;
  checks: number;
}

/**
 * Ends requests whose bodies arrive too slowly, each of which holds a connection (contract §2). Time is counted in checks,
 * since this process may have been suspended, and stands still while it is this node that does not read.
 */
export class SlowBodies {
  private readonly limits: SlowBodyLimits;
  private readonly arrivals = new Map<IncomingMessage, Arrival>();
  private readonly uploads = new WeakSet<IncomingMessage>();
  private readonly timer: NodeJS.Timeout;

  constructor(limits: SlowBodyLimits) {
    this.limits = limits;
    this.timer = setInterval(() => this.check(), checkMs).unref();
  }

  /** Watches all requests of a server, whoever answers them: it runs before a listener that may take one for itself. */
  watch(server: Server): void {
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const { headers } = request;
      if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
      // Nearly all have arrived by then.
      setImmediate(() => {
        if (request.complete || request.destroyed) return;
        this.arrivals.set(request, { response, silence: new Silence(), checks: 0 });
        const forget = () => this.arrivals.delete(request);
        request.once('end', forget).once('close', forget);
      });
    });
    server.once('close', () => clearInterval(this.timer));
  }

  /** Allows a request the time of an upload. */
  allowUpload(request: IncomingMessage): void {
    this.uploads.add(request);
  }

  /** How many bodies are still arriving. */
  get count(): number {
    return this.arrivals.size;
  }

  /** Once a second. */
  check(): void {
    for (const [request, arrival] of this.arrivals) {
      if (request.complete || request.readableLength > 0) continue;
      const isLate = this.uploads.has(request)
        ? arrival.silence.check(request.socket) >= this.limits.uploadIdleSeconds
        : ++arrival.checks >= this.limits.bodySeconds;
      if (!isLate) continue;
      this.arrivals.delete(request);
      // A client that has its answer already accepts no other.
      if (arrival.response.writableFinished) request.socket.destroy();
      else refuseConnection(request.socket, new AppError('REQUEST_TIMEOUT'));
    }
  }
}

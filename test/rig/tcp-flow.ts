import type { Socket } from 'node:net';

/** What all connections of a proxy go through. */
export interface Weather {
  held: boolean;
  minMs: number;
  maxMs: number;
}

/** Bytes of one direction that wait here before the sender is slowed down. */
const mostWaiting = 1024 * 1024;

interface Parcel {
  due: number;
  /** Undefined: the sender has finished, or is gone. */
  bytes: Buffer | undefined;
}

/** One direction of a connection: passes bytes on in order, late or not at all while held. */
export class Flow {
  private readonly from: Socket;
  private readonly to: Socket;
  private readonly weather: Weather;
  private readonly parcels: Parcel[] = [];
  private waiting = 0;
  private lastDue = 0;
  private failed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket, weather: Weather) {
    this.from = from;
    this.to = to;
    this.weather = weather;
    from.on('data', (bytes) => this.take(Buffer.from(bytes)));
    from.on('end', () => this.take(undefined));
    from.on('error', () => {
      this.failed = true;
    });
    // After an error, or a cut; of an orderly end the other side has heard by then.
    from.on('close', () => this.take(undefined));
    to.on('drain', () => this.move());
    to.on('close', () => {
      clearTimeout(this.timer);
      this.parcels.length = 0;
    });
  }

  /** Passes on what is due. */
  move(): void {
    clearTimeout(this.timer);
    for (let next = this.parcels[0]; next && !this.weather.held; next = this.parcels[0]) {
      const wait = next.due - Date.now();
      if (wait > 0) {
        this.timer = setTimeout(() => this.move(), wait);
        return;
      }
      if (this.to.writableNeedDrain) return;
      this.parcels.shift();
      this.pass(next.bytes);
    }
  }

  private take(bytes: Buffer | undefined): void {
    const { minMs, maxMs } = this.weather;
    this.lastDue = Math.max(this.lastDue, Date.now() + minMs + Math.random() * (maxMs - minMs));
    this.parcels.push({ due: this.lastDue, bytes });
    this.waiting += bytes?.length ?? 0;
    if (this.waiting > mostWaiting) this.from.pause();
    this.move();
  }

  private pass(bytes: Buffer | undefined): void {
    if (bytes === undefined) {
      if (this.failed) this.to.resetAndDestroy();
      else if (this.from.destroyed) this.to.destroySoon();
      else this.to.end();
      return;
    }
    this.waiting -= bytes.length;
    if (this.waiting < mostWaiting) this.from.resume();
    if (!this.to.destroyed) this.to.write(bytes);
  }
}

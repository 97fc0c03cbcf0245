import type { Socket } from 'node:net';

/** For how long nothing has come in on a connection: in looks at it, and not in time, for this process may have stood still. */
export class Silence {
  private bytes = -1;
  private looks = 0;

  /** @returns how many looks in a row, with this one, found that no more had come in */
  look({ bytesRead }: Socket): number {
    this.looks = bytesRead === this.bytes ? this.looks + 1 : 0;
    this.bytes = bytesRead;
    return this.looks;
  }
}

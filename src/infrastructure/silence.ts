import type { Socket } from 'node:net';

/** How long a connection has received nothing: in checks, not time, since this process may have been suspended. */
export class Silence {
  private bytes = -1;
  private looks = 0;

  /** @returns how many checks in a row, including this one, found nothing new */
  look({ bytesRead }: Socket): number {
    this.looks = bytesRead === this.bytes ? this.looks + 1 : 0;
    this.bytes = bytesRead;
    return this.looks;
  }
}

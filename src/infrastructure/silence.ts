import type { Socket } from 'node:net';

/** How long a connection has received nothing: in checks, not in time, since this process may have been suspended. */
export class Silence {
  private bytes = -1;
  private unchanged = 0;

  /** @returns how many checks in a row, including this one, found nothing new */
  check({ bytesRead }: Socket): number {
    this.unchanged = bytesRead === this.bytes ? this.unchanged + 1 : 0;
    this.bytes = bytesRead;
    return this.unchanged;
  }
}

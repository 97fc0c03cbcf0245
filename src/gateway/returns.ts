import type { ParleySocket } from './socket.ts';

interface Return {
  state: 'due' | 'begun' | 'not needed';
  isOver: Promise<void>;
  end(): void;
}

/**
 * Rooms that sockets are being brought back to. Many clients join their rooms on each connect, also when they are recovered:
 * a join that overtook the return would be from now on, and what was missed would be gone for good, or come late.
 */
export class Returns {
  private readonly awaited = new WeakMap<ParleySocket, Map<string, Return>>();

  /** Call it in the turn in which the socket connects: its first event may come with the next one. */
  expect(socket: ParleySocket, names: string[]): void {
    if (names.length === 0) return;
    const returns = new Map<string, Return>();
    for (const name of names) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (!returns.has(name)) returns.set(name, { state: 'due', isOver: promise, end: resolve });
    }
    this.awaited.set(socket, returns);
  }

  /** @returns whether the socket is to be brought back; its client may have said meanwhile from where it goes on */
  begin(socket: ParleySocket, name: string): boolean {
    const due = this.awaited.get(socket)?.get(name);
    if (due?.state === 'due') due.state = 'begun';
    return due?.state !== 'not needed';
  }

  /** Whether it is still to be brought back there, or its client has said meanwhile that it comes by itself. */
  isAwaited(socket: ParleySocket, name: string): boolean {
    return this.awaited.get(socket)?.has(name) ?? false;
  }

  /** It is back in this room, or will not be. */
  end(socket: ParleySocket, name: string): void {
    this.awaited.get(socket)?.get(name)?.end();
    this.awaited.get(socket)?.delete(name);
  }

  endAll(socket: ParleySocket): void {
    for (const { end } of this.awaited.get(socket)?.values() ?? []) end();
    this.awaited.delete(socket);
  }

  /**
   * Lets a client that asks for a room wait until it is back there.
   * @param after where it says that it goes on: then it is not brought back, unless that has begun
   */
  async over(socket: ParleySocket, name: string, after?: number): Promise<void> {
    const due = this.awaited.get(socket)?.get(name);
    if (due?.state === 'due' && after !== undefined) due.state = 'not needed';
    if (due?.state !== 'not needed') await due?.isOver;
  }
}

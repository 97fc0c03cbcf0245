import type { ParleySocket } from './socket.ts';

interface Restore {
  state: 'due' | 'begun' | 'not needed';
  isOver: Promise<void>;
  end(): void;
}

/**
 * Rooms that sockets are being brought back to. Many clients join their rooms on each connect, even if recovered: a
 * join that overtook the return would start from now, and missed events would be lost, or arrive late.
 */
export class PendingRestores {
  private readonly awaited = new WeakMap<ParleySocket, Map<string, Restore>>();

  /** To be called in the turn in which the socket connects: its first event may arrive in the next. */
  expect(socket: ParleySocket, names: string[]): void {
    if (names.length === 0) return;
    const restores = new Map<string, Restore>();
    for (const name of names) {
      const { promise, resolve } = Promise.withResolvers<void>();
      restores.set(name, { state: 'due', isOver: promise, end: resolve });
    }
    this.awaited.set(socket, restores);
  }

  /** @returns whether to bring the socket back; its client may have joined with a position of its own meanwhile */
  begin(socket: ParleySocket, name: string): boolean {
    const due = this.awaited.get(socket)?.get(name);
    if (due?.state === 'due') due.state = 'begun';
    return due?.state !== 'not needed';
  }

  /** Whether its return to the room is pending, or replaced by a join of its client. */
  isAwaited(socket: ParleySocket, name: string): boolean {
    return this.awaited.get(socket)?.has(name) ?? false;
  }

  /** The socket is back in this room, or will not be. */
  end(socket: ParleySocket, name: string): void {
    this.awaited.get(socket)?.get(name)?.end();
    this.awaited.get(socket)?.delete(name);
  }

  endAll(socket: ParleySocket): void {
    for (const { end } of this.awaited.get(socket)?.values() ?? []) end();
    this.awaited.delete(socket);
  }

  /**
   * Makes a client that joins a room wait until it has been brought back there.
   * @param after its own position: then it is not brought back, unless that has begun
   */
  async over(socket: ParleySocket, name: string, after?: number): Promise<void> {
    const due = this.awaited.get(socket)?.get(name);
    if (due?.state === 'due' && after !== undefined) due.state = 'not needed';
    if (due?.state !== 'not needed') await due?.isOver;
  }
}

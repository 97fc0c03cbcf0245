import type { Actor } from '../../contract/actor.ts';
import { credentialRoom, userRoom } from '../../contract/rooms.ts';

/** The long polls waiting on this node: none outlives the session, or the token, that it came with. */
export class Polls {
  private readonly waiting = new Set<{ actor: Actor; over: AbortController }>();

  /**
   * Waits for something on behalf of an actor.
   * @param signal aborts when the client disconnects
   * @param wait gets a signal that aborts then, and when the actor's polls are ended
   */
  async during<T>(actor: Actor, signal: AbortSignal, wait: (over: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const leave = () => over.abort();
    const poll = { actor, over };
    this.waiting.add(poll);
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    try {
      return await wait(over.signal);
    } finally {
      signal.removeEventListener('abort', leave);
      this.waiting.delete(poll);
    }
  }

  /** Ends the waits of a session, a token or a user. @param room as for the sockets that end with it */
  end(room: string): void {
    for (const { actor, over } of this.waiting) {
      if (credentialRoom(actor) === room || userRoom(actor.userId) === room) over.abort();
    }
  }
}

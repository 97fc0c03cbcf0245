import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { EventStream } from './event-stream.ts';
import { Listener, type ListenerParts } from './listener.ts';

/** How many streams a user may have on a node. */
const mostOfUser = 10;
const retryAfter = 60;

/** The streams of notifications that are open on this node (contract §8). */
export class Listeners {
  private readonly parts: ListenerParts;
  private readonly open = new Set<Listener>();
  private isClosed = false;

  constructor(parts: ListenerParts) {
    this.parts = parts;
  }

  /**
   * Opens the stream of a session, which ends an earlier one.
   * @param signal aborts when the client disconnects
   * @throws AppError RATE_LIMITED when the user has too many, SERVER_BUSY as the node stops
   */
  listen(actor: Actor, sessionId: string, signal: AbortSignal): EventStream {
    if (this.isClosed) throw new AppError('SERVER_BUSY');
    this.of(sessionId)?.end();
    const ofUser = [...this.open].filter(({ isOver, actor: { userId } }) => !isOver && userId === actor.userId);
    if (ofUser.length >= mostOfUser) {
      throw new AppError('RATE_LIMITED', { message: `Only ${mostOfUser} streams may be open at once.`, retryAfter });
    }
    const stream = new EventStream();
    const listener = new Listener(this.parts, actor, sessionId, stream);
    this.open.add(listener);
    if (signal.aborted) listener.end();
    else signal.addEventListener('abort', () => listener.end(), { once: true });
    void listener.run().finally(() => this.open.delete(listener));
    return stream;
  }

  /** The subscriptions of a session have changed, or it has ended. */
  changed(sessionId: string, isOver: boolean): void {
    const listener = this.of(sessionId);
    if (isOver) listener?.end();
    else listener?.look();
  }

  /** Ends all, so that their clients go to another node. */
  close(): void {
    this.isClosed = true;
    for (const listener of this.open) listener.end();
  }

  private of(sessionId: string): Listener | undefined {
    return [...this.open].find((listener) => listener.sessionId === sessionId && !listener.isOver);
  }
}

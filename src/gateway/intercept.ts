import type { EventEmitter } from 'node:events';

/** Puts a listener before the existing ones; they do not see what it handles. */
export function intercept<A extends unknown[]>(
  from: EventEmitter,
  event: string,
  takes: (...args: A) => boolean,
): void {
  const others = from.listeners(event);
  from.removeAllListeners(event);
  from.on(event, (...args: A) => {
    if (takes(...args)) return;
    for (const listener of others) listener.apply(from, args);
  });
}

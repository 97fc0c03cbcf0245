import { ParleyError } from '../../../client/index.ts';
import { connection, onceBack, sentence } from './client.ts';
import { tell } from './toasts.ts';

const againMs = 3000;

/**
 * Reads what is to be shown. What fails is said, and what failed for want of a connection is read when there is one again:
 * otherwise a page that was opened without one would stay empty. Where there is one, the server may have had no time.
 * @returns ends it, where it is wanted no more
 */
export function reading(read: () => Promise<unknown>): () => void {
  let wanted = true;
  let forget = () => {};
  const start = () =>
    void read().catch((error) => {
      if (!wanted) return;
      const isPassing = error instanceof ParleyError && error.isPassing;
      if (isPassing) forget = whenItMayWork(start);
      tell(isPassing ? 'The server cannot be reached. This page shows when it can.' : sentence(error), 'bad');
    });
  start();
  return () => {
    wanted = false;
    forget();
  };
}

/** Does something when there is a connection again, or soon where there is one. @returns forgets it */
export function whenItMayWork(work: () => void): () => void {
  const off = onceBack(() => {
    clearTimeout(timer);
    work();
  });
  const timer = setTimeout(() => {
    if (connection.peek().status === 'offline') return;
    off();
    work();
  }, againMs);
  return () => {
    off();
    clearTimeout(timer);
  };
}

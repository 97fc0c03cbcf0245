import { ParleyError } from '../../../client/index.ts';
import { connection, onceBack, sentence } from './client.ts';
import { tell } from './toasts.ts';

const againMs = 3000;

/**
 * Reads what is to be shown. Failures are reported, and retried once there is a connection: otherwise a page opened offline
 * would stay empty. If there is one, the server may have been overloaded.
 * @returns cancels it, when it is no longer wanted
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

/** Runs something once there is a connection again, or soon if there is one. @returns cancels it */
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

import { setTimeout as delay } from 'node:timers/promises';
import type { EmbeddedLog, Postmaster } from './postmaster.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** A run of this length counts as healthy again. */
const healthyMs = 60_000;

/**
 * Keeps a PostgreSQL running: restarts it when it ends by itself, with exponential backoff up to 5 s while it keeps
 * ending.
 * @param first a server that is ready
 * @param start spawns the next one, on the same port
 * @returns stops it for good
 */
export function supervise(first: Postmaster, start: () => Postmaster, log: EmbeddedLog): () => Promise<void> {
  const stopping = new AbortController();
  let current = first;
  const watch = async () => {
    let pause = firstPauseMs;
    while (!stopping.signal.aborted) {
      const since = performance.now();
      const how = await current.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - since > healthyMs) pause = firstPauseMs;
      log.warn({ pid: current.pid }, `PostgreSQL ended by itself (${how}); it is started again in ${pause} ms.`);
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      pause = Math.min(pause * 2, longestPauseMs);
      current = start();
      void report(current, log);
    }
  };
  const watched = watch();
  return async () => {
    stopping.abort();
    await current.stop();
    await watched;
  };
}

async function report(server: Postmaster, log: EmbeddedLog): Promise<void> {
  try {
    await server.ready;
    log.info({ pid: server.pid }, 'PostgreSQL is running again.');
  } catch (error) {
    log.warn({}, error instanceof Error ? error.message : String(error));
  }
}

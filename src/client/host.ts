/** Browser APIs beyond plain JavaScript; this code runs without them too. */
interface Host {
  queueMicrotask: unknown;
  location?: { origin: string };
  addEventListener?: (type: 'online' | 'offline', listener: () => void, options: { signal: AbortSignal }) => void;
  document?: {
    visibilityState: string;
    addEventListener(type: 'visibilitychange', listener: () => void, options: { signal: AbortSignal }): void;
  };
}

export const host: Host = globalThis;

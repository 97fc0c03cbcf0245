/** What a browser has beside what every JavaScript has; this code runs without it too. */
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

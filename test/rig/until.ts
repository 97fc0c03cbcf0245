import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  /** Milliseconds; 15 000 unless told: many times what anything takes on a busy machine. */
  timeout?: number;
  message?: string;
}

/** What `until` waits for: neither of these. */
type Falsy = false | 0 | '' | null | undefined;

/**
 * Waits for a condition, asking every 10 ms. An error thrown by it ends the wait.
 * @returns what the condition gave, once that is truthy
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeout = 15_000, message = 'The condition did not come true' }: UntilOptions = {},
): Promise<Exclude<T, Falsy>> {
  for (const end = Date.now() + timeout; ; await delay(10)) {
    const value = await condition();
    if (isTruthy(value)) return value;
    if (Date.now() > end) throw new Error(`${message} (waited ${timeout} ms).`);
  }
}

function isTruthy<T>(value: T): value is Exclude<T, Falsy> {
  return Boolean(value);
}

import { signal } from '@preact/signals';

/** What screen readers announce. */
export const announced = signal('');

export function announce(text: string): void {
  // The same text twice would be no change, and would not be read.
  announced.value = text === announced.peek() ? `${text}\u00a0` : text;
}

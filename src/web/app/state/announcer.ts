import { signal } from '@preact/signals';

/** What is read out to those who do not see it come. */
export const announced = signal('');

export function announce(text: string): void {
  // The same words a second time are no change that would be read.
  announced.value = text === announced.peek() ? `${text}\u00a0` : text;
}

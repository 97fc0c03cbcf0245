import { signal } from '@preact/signals';
import { sentence } from './client.ts';

export interface Toast {
  id: number;
  text: string;
  kind: 'good' | 'bad';
  /** Where to see what it is about. */
  href: string | undefined;
}

const shownMs = 6000;
let count = 0;
export const toasts = signal<Toast[]>([]);

export function tell(text: string, kind: Toast['kind'] = 'good', href?: string): void {
  const toast = { id: ++count, text, kind, href };
  // A repeated message is shown once.
  const others = toasts.value.filter((known) => known.text !== text);
  toasts.value = [...others, toast].slice(-4);
  setTimeout(() => dismiss(toast.id), shownMs);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Runs an action of the user, and reports its failure. @returns whether it succeeded */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    tell(sentence(error), 'bad');
    return false;
  }
}

export const copy = (text: string): Promise<boolean> =>
  attempt(async () => {
    await navigator.clipboard.writeText(text);
    tell('Copied.');
  });

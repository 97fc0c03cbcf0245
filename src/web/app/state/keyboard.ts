import { signal } from '@preact/signals';

/** Keys that on-screen keyboards never report. */
const hard = new Set(['Shift', 'Control', 'Alt', 'Meta', 'Tab', 'Escape']);

/** Whether this is a phone or the like, which probably has an on-screen keyboard. */
export const isTouched = (): boolean => matchMedia('(hover: none) and (pointer: coarse)').matches;

/** Whether a hardware keyboard was detected: tablets may have one. */
const hasKeys = signal(false);

/** Inspects pressed keys: on-screen keyboards report less about theirs. */
export function watchKeys(event: KeyboardEvent): void {
  if (hard.has(event.key) && event.code !== '') hasKeys.value = true;
  else if (event.key === 'Unidentified' && event.code === '') hasKeys.value = false;
}

/**
 * Whether Enter alone submits. On-screen keyboards have no Shift+Enter: there Enter starts a new line, and a button sends.
 */
export const hasEnter = (): boolean => hasKeys.value || !isTouched();

/**
 * Whether a key belongs to an input method's composition, as in Japanese: Enter confirms one there. Safari ends that before
 * it reports the key, which only its key code reveals.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/** Whether a key submits a text. */
export function isReady(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' || isComposing(event) || event.shiftKey) return false;
  return hasEnter() || event.ctrlKey || event.metaKey;
}

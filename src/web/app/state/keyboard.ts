import { signal } from '@preact/signals';

/** Keys that no keyboard on a screen tells of. */
const hard = new Set(['Shift', 'Control', 'Alt', 'Meta', 'Tab', 'Escape']);

/** Whether it is a phone or the like, where a keyboard on the screen is to be expected. */
export const isTouched = (): boolean => matchMedia('(hover: none) and (pointer: coarse)').matches;

/** Whether a keyboard was seen that is a thing of its own: tablets may have one. */
const hasKeys = signal(false);

/** Looks what the keys are that are pressed: those on a screen say less of themselves. */
export function watchKeys(event: KeyboardEvent): void {
  if (hard.has(event.key) && event.code !== '') hasKeys.value = true;
  else if (event.key === 'Unidentified' && event.code === '') hasKeys.value = false;
}

/**
 * Whether Enter alone says that a text is ready. Keyboards on screens have no Shift+Enter: there Enter begins a new line,
 * and a button sends.
 */
export const hasEnter = (): boolean => hasKeys.value || !isTouched();

/**
 * Whether a key belongs to letters that are put together from several keys, as in Japanese: Enter takes one there.
 * Safari ends that before it tells of the key, which nothing but its code gives away.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/** Whether a key says that a text is ready. */
export function isReady(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' || isComposing(event) || event.shiftKey) return false;
  return hasEnter() || event.ctrlKey || event.metaKey;
}

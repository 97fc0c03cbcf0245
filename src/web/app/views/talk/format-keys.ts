import { isComposing } from '../../state/keyboard.ts';
import type { Format } from './formats.ts';

/** The keys, each with Ctrl, or with Command on Apple's devices. */
const keys: readonly [Format, string][] = [
  ['bold', 'B'],
  ['italic', 'I'],
  ['struck', 'Shift+X'],
  ['code', 'E'],
  ['link', 'Shift+U'],
  ['numbers', 'Shift+7'],
  ['bullets', 'Shift+8'],
  ['quote', 'Shift+9'],
  ['block', 'Alt+Shift+C'],
];

const byKey = new Map(keys.map(([format, key]) => [key, format]));

/** The keys of a format, as `aria-keyshortcuts` names them; undefined: it has none. */
export function keysOf(format: Format): string | undefined {
  const key = keys.find(([one]) => one === format)?.[1];
  return key && `${isApple() ? 'Meta' : 'Control'}+${key}`;
}

const isApple = (): boolean => /Mac|iP(?:hone|ad|od)/.test(navigator.platform);

/** The format that a key stands for; null: none. */
export function formatOf(event: KeyboardEvent): Format | null {
  const { key, code, shiftKey, altKey } = event;
  const isHeld = isApple() ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (!isHeld || isComposing(event)) return null;
  // On keyboards of other scripts a key has another letter, and with Shift another sign.
  const physical = /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? '';
  const letter = /^[a-z]$/i.test(key) ? key.toUpperCase() : physical;
  return byKey.get(`${altKey ? 'Alt+' : ''}${shiftKey ? 'Shift+' : ''}${letter}`) ?? null;
}

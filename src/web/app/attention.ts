import type { Attention } from './state/surroundings.ts';

/** Without any input for this long nobody looks at the page. */
const idleMs = 3 * 60_000;
const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** What the browser tells of whether someone looks at this page. */
export function ownAttention(): Attention {
  let lastInput = performance.now();
  const isHere = () =>
    document.visibilityState === 'visible' && document.hasFocus() && performance.now() - lastInput < idleMs;
  const listeners = new Set<() => void>();
  let was = isHere();
  let idle: number | undefined;
  const check = () => {
    const is = isHere();
    if (is === was) return;
    was = is;
    for (const listener of listeners) listener();
  };
  const onInput = () => {
    lastInput = performance.now();
    clearTimeout(idle);
    idle = window.setTimeout(check, idleMs);
    check();
  };
  for (const input of inputs) document.addEventListener(input, onInput, { passive: true, capture: true });
  document.addEventListener('visibilitychange', onInput);
  addEventListener('focus', onInput);
  addEventListener('blur', check);
  onInput();
  return {
    isHere,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

import type { TargetedKeyboardEvent } from 'preact';

/** Moves the focus along a toolbar, which is one stop for Tab: to the right is ahead, but in a script that runs to the left. */
export function moveInToolbar(event: TargetedKeyboardEvent<HTMLElement>): void {
  const ahead = document.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  const step = event.key === ahead ? 1 : event.key === 'ArrowLeft' || event.key === 'ArrowRight' ? -1 : 0;
  if (step === 0 || event.defaultPrevented || !(event.target instanceof HTMLButtonElement)) return;
  const bar = event.currentTarget;
  // What its buttons open has keys of its own.
  const layer = bar.closest('[popover]');
  const all = [...bar.querySelectorAll('button')].filter((button) => button.closest('[popover]') === layer);
  const at = all.indexOf(event.target);
  if (at < 0) return;
  event.preventDefault();
  all.at((at + step) % all.length)?.focus();
}

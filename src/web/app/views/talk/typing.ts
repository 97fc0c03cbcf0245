/** Types a text over what is selected in a text box, or over another part of it, so that the browser can undo it. */
export function typeInto(
  box: HTMLTextAreaElement,
  text: string,
  from = box.selectionStart,
  to = box.selectionEnd,
): void {
  box.focus();
  box.setSelectionRange(from, to);
  // Commands are for what has the focus, which a text box that is gone cannot have.
  const isTyped = document.activeElement === box && typed(text);
  if (isTyped || (text === '' && from === to)) return;
  box.setRangeText(text, from, to, 'end');
  box.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

const typed = (text: string): boolean =>
  text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text);

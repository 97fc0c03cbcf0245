import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { isComposing } from '../../state/keyboard.ts';
import { useApp } from '../useApp.ts';
import { formatOf } from './format-keys.ts';
import type { Format } from './formats.ts';
import { typeInto } from './typing.ts';

/** A line that goes on as a list, or as a quotation, below itself. */
const continuing = /^\s*(?:[-*+]|\d{1,9}[.)]|>)\s/;

/** Without a connection it may not be there. */
const loadFormatting = () => import('./Formatting.tsx');

/** What a text box does with keys that format, and with what is pasted. */
export function useFormatting(box: RefObject<HTMLTextAreaElement | null>) {
  const { keyboard } = useApp();
  const isPlain = useRef(false);
  const apply = (format: Format) => {
    const text = box.current;
    if (!text) return;
    loadFormatting().then(
      ({ format: change }) => change(text, format),
      () => {},
    );
  };
  const press = (event: KeyboardEvent): boolean => {
    isPlain.current = event.shiftKey && event.key.toLowerCase() === 'v';
    const format = formatOf(event);
    const goesOn = !format && event.key === 'Enter' && !isComposing(event) && !keyboard.submits(event);
    if (format) apply(format);
    else if (!goesOn || !box.current || !isInList(box.current)) return false;
    else {
      const text = box.current;
      loadFormatting().then(
        ({ goOn }) => goOn(text),
        () => typeInto(text, '\n'),
      );
    }
    event.preventDefault();
    return true;
  };
  /** @param onFiles what becomes of files; without it they are ignored */
  const paste = (event: ClipboardEvent, onFiles?: (files: readonly File[]) => void) => {
    const { clipboardData } = event;
    const text = box.current;
    if (!clipboardData || !text) return;
    const files = [...clipboardData.files];
    const plain = clipboardData.getData('text/plain');
    if (files.length > 0 && !isMoreThanNames(plain, files)) {
      event.preventDefault();
      return onFiles?.(files);
    }
    const html = isPlain.current ? '' : clipboardData.getData('text/html');
    if (linkOver(text, plain.trim())) event.preventDefault();
    else if (isFormatted(html)) {
      event.preventDefault();
      loadFormatting().then(
        ({ markdownOf }) => typeInto(text, markdownOf(html, plain)),
        () => typeInto(text, plain),
      );
    }
  };
  return { press, paste };
}

function isInList({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): boolean {
  const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
  return selectionStart === selectionEnd && continuing.test(line);
}

/**
 * Whether the text of a clipboard is more than the names of its files, which some systems add. Office adds a picture of what
 * is copied to the text.
 */
function isMoreThanNames(text: string, files: readonly File[]): boolean {
  const names = new Set(files.map(({ name }) => name));
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  return lines.some((line) => !names.has(line.replace(/^.*[/\\]/, '').trim()));
}

const address = /^https?:\/\/[^\s<>"']+$/i;

/** Makes the selected text a link to what is pasted. @returns whether it can be one */
function linkOver(text: HTMLTextAreaElement, url: string): boolean {
  const { value, selectionStart, selectionEnd } = text;
  const label = value.slice(selectionStart, selectionEnd);
  if (!address.test(url) || label.trim() === '' || /[[\]\n]/.test(label) || address.test(label.trim())) return false;
  // What ends the link would be the first of these that has no partner.
  typeInto(text, `[${label}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`);
  return true;
}

/** Whether HTML has anything that Markdown can say. Editors of code copy colours alone. */
const isFormatted = (html: string): boolean =>
  /<(?:a|b|strong|i|em|s|strike|del|code|pre|ul|ol|li|h[1-6]|blockquote|table|hr)\b|font-weight:|font-style:|line-through/i.test(
    html,
  );

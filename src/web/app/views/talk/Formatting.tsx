import type { RefObject } from 'preact';
import type { Message } from '../../../../languages/catalogue.ts';
import { Icon } from '../parts/Icon.tsx';
import { moveInToolbar } from '../parts/toolbar.ts';
import { useTexts } from '../useApp.ts';
import { keysOf } from './format-keys.ts';
import { continued, type Format, formatted, type Typing, type Written } from './formats.ts';
import { typeInto } from './typing.ts';

export { markdownOf } from './paste.ts';

const writtenIn = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Written => ({
  text: value,
  start: selectionStart,
  end: selectionEnd,
});

function typed(box: HTMLTextAreaElement, { from, to, text, start, end }: Typing): void {
  typeInto(box, text, from, to);
  box.setSelectionRange(start, end);
}

/** Formats what is selected in a text box. */
export function format(box: HTMLTextAreaElement, how: Format): void {
  typed(box, formatted(writtenIn(box), how));
}

/** Begins a new line as the list or quotation that the caret is in goes on. */
export function goOn(box: HTMLTextAreaElement): void {
  typed(box, continued(writtenIn(box)));
}

const buttons: readonly { format: Format; label: Message; sign: string }[] = [
  { format: 'bold', label: 'Bold', sign: 'B' },
  { format: 'italic', label: 'Italic', sign: 'I' },
  { format: 'struck', label: 'Strikethrough', sign: 'S' },
  { format: 'link', label: 'Link', sign: '' },
  { format: 'bullets', label: 'Bulleted list', sign: '•' },
  { format: 'numbers', label: 'Numbered list', sign: '1.' },
  { format: 'quote', label: 'Quote', sign: '❝' },
  { format: 'code', label: 'Code', sign: '<>' },
  { format: 'block', label: 'Code block', sign: '{}' },
  { format: 'spoiler', label: 'Spoiler', sign: '▒' },
];

/** Formats by buttons: one stop for Tab, arrow keys move within it. */
export function FormatBar({ box }: { box: RefObject<HTMLTextAreaElement | null> }) {
  const { t } = useTexts();
  const named = (label: Message, keys: string | undefined) =>
    keys ? `${t(label)} (${keys.replace('Control', 'Ctrl').replace('Meta', '⌘')})` : t(label);
  return (
    <div class="format-bar" role="toolbar" aria-label={t('Formatting')} onKeyDown={moveInToolbar}>
      {buttons.map((one, at) => (
        <button
          key={one.format}
          type="button"
          class={`icon format-${one.format}`}
          aria-label={t(one.label)}
          aria-keyshortcuts={keysOf(one.format)}
          title={named(one.label, keysOf(one.format))}
          tabIndex={at === 0 ? 0 : -1}
          // The text box keeps the focus, and what is selected in it.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => box.current && format(box.current, one.format)}
        >
          {one.sign === '' ? <Icon name="link" /> : <span data-sign={one.sign} />}
        </button>
      ))}
    </div>
  );
}

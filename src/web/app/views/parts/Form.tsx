import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { errorText } from '../../state/toasts.ts';
import { useTexts } from '../useApp.ts';

/** The values of a form's fields. */
export interface Fields {
  /** Without white space at its ends. */
  text(name: string): string;
  /** As typed: white space counts in a password. */
  raw(name: string): string;
  isChecked(name: string): boolean;
}

interface FormProps {
  /** Label of the button. */
  action: string;
  /** Does the work; what it throws is shown above the button. */
  work(fields: Fields): Promise<unknown>;
  /** Whether the fields are reset after success. */
  clear?: boolean;
  /** Whether it can be submitted already. */
  ready?: boolean;
  class?: string;
  /** Beside the button. */
  beside?: ComponentChildren;
  children?: ComponentChildren;
}

/** A form that shows errors, and cannot be submitted twice at once. */
export function Form({ action, work, clear = false, ready = true, class: kind = '', beside, children }: FormProps) {
  const texts = useTexts();
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    // In a dialog it may stand within another form, which is not to be sent with it.
    event.stopPropagation();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement) || busy) return;
    setBusy(true);
    setError(null);
    try {
      await work(fieldsOf(form));
      if (clear) form.reset();
    } catch (reason) {
      setError(errorText(reason, texts));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class={`form ${kind}`} onSubmit={submit}>
      {children}
      <Problem text={error} />
      <footer>
        {beside}
        <button type="submit" class="button" disabled={busy || !ready}>
          {action}
        </button>
      </footer>
    </form>
  );
}

function fieldsOf(form: HTMLFormElement): Fields {
  const data = new FormData(form);
  const raw = (name: string) => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
  return { raw, text: (name) => raw(name).trim(), isChecked: (name) => data.has(name) };
}

/** Whether someone typed a word to confirm something, in any case, and with the marks of direction that a copy of it has. */
export const isTyped = (typed: string, word: string): boolean => plain(typed) === plain(word);

const plain = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u2066-\u2069]/g, '')
    .trim()
    .toLowerCase();

export function Problem({ text }: { text: string | null }) {
  return (
    <p class="note problem" role="alert" hidden={text === null}>
      {text}
    </p>
  );
}

import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp, useTexts } from '../useApp.ts';
import { Button } from './Button.tsx';

interface FieldProps {
  label: string;
  name: string;
  autocomplete?: string;
  type?: 'text' | 'email' | 'password' | 'url';
  inputmode?: 'numeric' | 'decimal';
  value?: string;
  placeholder?: string;
  hint?: string;
  required?: boolean;
  autofocus?: boolean;
  minlength?: number;
  maxlength?: number;
  onInput?(value: string): void;
}

/** An uncontrolled field: `value` is its first value, and rendering again does not change what was typed. */
export function Field(props: FieldProps) {
  const { label, hint, value, type = 'text', autofocus, autocomplete = 'off', onInput, ...more } = props;
  const id = useId();
  const ref = useRef<HTMLInputElement>(null);
  // In a layout effect, to be ready for the next key. In a dialog, which is not shown yet, the attribute does it.
  useLayoutEffect(() => {
    if (autofocus) ref.current?.focus();
  }, [autofocus]);
  const input = {
    ...more,
    autofocus,
    defaultValue: value,
    autocomplete,
    ref,
    id,
    'aria-describedby': hint && `${id}-hint`,
    onInput: (event: TargetedInputEvent<HTMLInputElement>) => onInput?.(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'password' ? (
        <input type="password" {...input} />
      ) : type === 'email' ? (
        <input type="email" {...input} />
      ) : type === 'url' ? (
        <input type="url" {...input} />
      ) : (
        <input type="text" {...input} />
      )}
      <Hint id={`${id}-hint`} text={hint} />
    </div>
  );
}

/** A field for a new password. */
export function NewPassword(props: Pick<FieldProps, 'label' | 'name' | 'hint'>) {
  return <Field {...props} type="password" autocomplete="new-password" minlength={8} maxlength={128} required />;
}

interface TextAreaProps {
  label: string;
  name: string;
  value?: string;
  hint?: string;
  rows?: number;
  maxlength?: number;
  /** Shows code in a fixed-width font, without spell checking. */
  code?: boolean;
  required?: boolean;
  onInput?(value: string): void;
}

export function TextArea({ label, hint, value, code = false, rows = 3, onInput, ...more }: TextAreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class={code ? 'code' : ''}
        rows={rows}
        defaultValue={value}
        spellcheck={!code}
        aria-describedby={hint && `${id}-hint`}
        onInput={(event) => onInput?.(event.currentTarget.value)}
        {...more}
      />
      <Hint id={`${id}-hint`} text={hint} />
    </div>
  );
}

export interface Option {
  value: string;
  label: string;
}

interface SelectProps {
  label: string;
  name?: string;
  value?: string;
  options: readonly Option[];
  hint?: string;
  /** Whether the label is for screen readers only. */
  bare?: boolean;
  onChange?(value: string): void;
}

export function Select({ label, options, hint, value, bare = false, name, onChange }: SelectProps) {
  const id = useId();
  return (
    <div class={bare ? 'choice' : 'field'}>
      <label class={bare ? 'hidden' : ''} for={id}>
        {label}
      </label>
      <select
        id={id}
        name={name}
        value={value}
        aria-describedby={hint && `${id}-hint`}
        onChange={(event) => onChange?.(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Hint id={`${id}-hint`} text={hint} />
    </div>
  );
}

interface CheckProps {
  label: ComponentChildren;
  name?: string;
  checked?: boolean;
  disabled?: boolean;
  onChange?(checked: boolean): void;
}

export function Check({ label, name, checked, disabled = false, onChange }: CheckProps) {
  // Uncontrolled in a form, controlled elsewhere.
  const state = name ? { name, defaultChecked: checked } : { checked };
  return (
    <label class="check">
      <input
        type="checkbox"
        disabled={disabled}
        {...state}
        onChange={(event) => onChange?.(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

function Hint({ id, text }: { id: string; text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="hint" id={id}>
      {text}
    </p>
  );
}

interface PickAndAddProps {
  label: string;
  options: Option[];
  onAdd(value: string): void;
}

/** A list to add from; nothing when it is empty. */
export function PickAndAdd({ label, options, onAdd }: PickAndAddProps) {
  const { t } = useTexts();
  const [chosen, setChosen] = useState('');
  const picked = options.find(({ value }) => value === chosen) ?? options[0];
  if (!picked) return null;
  return (
    <div class="inline">
      <Select bare label={label} value={picked.value} options={options} onChange={setChosen} />
      <button
        type="button"
        class="button"
        aria-label={t('Add: {label}', { label })}
        onClick={() => onAdd(picked.value)}
      >
        {t('Add')}
      </button>
    </div>
  );
}

/** A read-only line with a button to copy it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { t } = useTexts();
  const { copy } = useApp();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="inline">
        {/* A default value, so that resetting a surrounding form keeps it. */}
        <input key={value} id={id} readOnly defaultValue={value} onFocus={(event) => event.currentTarget.select()} />
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && <Button label={t('Copy')} kind="quiet" onClick={() => void copy(value)} />}
      </div>
    </div>
  );
}

/** A secret that is shown only once. */
export function Secret({ title, secret }: { title: string; secret: string | null }) {
  const { t } = useTexts();
  if (!secret) return null;
  return (
    <div class="secret" role="status">
      <CopyField label={t('{title}: copy it now, it is not shown again.', { title })} value={secret} />
    </div>
  );
}

import { useId } from 'preact/hooks';
import type { ComponentForm, Values } from '../../state/interactions.ts';
import type { Translate } from '../../state/texts.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useTexts } from '../useApp.ts';

type FormField = ComponentForm['fields'][number];
type Of<T extends FormField['type']> = Extract<FormField, { type: T }>;

interface FormDialogProps {
  form: ComponentForm;
  send(values: Values): Promise<void>;
  onClose(): void;
}

/** A form of a bot. */
export function FormDialog({ form, send, onClose }: FormDialogProps) {
  const { t } = useTexts();
  const work = async (fields: Fields) => {
    await send(Object.fromEntries(form.fields.map((field) => [field.id, valueIn(t, field, fields)])));
    onClose();
  };
  return (
    <Dialog title={form.title} onClose={onClose}>
      <Form action={form.submit ?? t('Send')} work={work}>
        {form.fields.map((field) => (
          <Entry key={field.id} field={field} />
        ))}
      </Form>
    </Dialog>
  );
}

function Entry({ field }: { field: FormField }) {
  if (field.type === 'text') return <Words field={field} />;
  if (field.type === 'choice') return field.max === 1 ? <One field={field} /> : <Several field={field} />;
  const { id, label, required } = field;
  const hint = field.hint ?? undefined;
  if (field.type === 'checkbox') {
    const text = hint ? `${label} (${hint})` : label;
    return <Check label={text} name={id} checked={field.value ?? false} />;
  }
  if (field.type === 'date') return <Day field={field} />;
  const value = field.value == null ? undefined : String(field.value);
  return <Field label={label} name={id} hint={hint} required={required} value={value} />;
}

function Words({ field }: { field: Of<'text'> }) {
  const { id: name, label, required, minLength, maxLength, multiline, format } = field;
  const common = { label, name, required, hint: field.hint ?? undefined, value: field.value ?? undefined };
  if (multiline) return <TextArea {...common} maxlength={maxLength} rows={5} />;
  const minlength = minLength > 0 ? minLength : undefined;
  return <Field {...common} type={format ?? 'text'} minlength={minlength} maxlength={maxLength} />;
}

function One({ field }: { field: Of<'choice'> }) {
  const { id, label, options, required } = field;
  const none = required && field.value?.length ? [] : [{ value: '', label: '–' }];
  return (
    <Select
      label={label}
      name={id}
      value={field.value?.[0] ?? none[0]?.value}
      hint={field.hint ?? undefined}
      options={[...none, ...options]}
    />
  );
}

function Several({ field: { id, label, options, value, hint } }: { field: Of<'choice'> }) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      {options.map((option) => (
        <Check
          key={option.value}
          name={boxOf(id, option.value)}
          label={option.description ? `${option.label} – ${option.description}` : option.label}
          checked={value?.includes(option.value) ?? false}
        />
      ))}
    </fieldset>
  );
}

function Day({ field: { id: name, label, required, value, hint } }: { field: Of<'date'> }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        name={name}
        required={required}
        defaultValue={value ?? ''}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

const boxOf = (id: string, value: string) => `${id} ${value}`;

/** @throws Error for what is no number */
function valueIn(t: Translate, field: FormField, fields: Fields): Values[string] {
  const { id } = field;
  if (field.type === 'checkbox') return fields.isChecked(id);
  if (field.type === 'choice' && field.max > 1) {
    return field.options.map(({ value }) => value).filter((value) => fields.isChecked(boxOf(id, value)));
  }
  const text = field.type === 'text' ? fields.raw(id) : fields.text(id);
  if (text === '') return null;
  if (field.type === 'choice') return [text];
  if (field.type !== 'number') return text;
  const number = Number(text.replace(',', '.'));
  if (!Number.isFinite(number)) throw new Error(t('{field}: enter a number.', { field: field.label }));
  return number;
}

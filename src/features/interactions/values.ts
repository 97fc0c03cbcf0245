import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { FormField, UsedComponent } from '../../contract/component.ts';
import type { Issue } from '../../contract/errors.ts';
import type { Values } from '../../contract/interaction.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { urlSchema } from '../../contract/schema.ts';
import { isBlank } from '../../contract/unicode/visible.ts';

type Value = Values[string];
/** A value as it is kept, or what is wrong with it. */
type Checked = { value: Value } | { wrong: string };

const empty = (given: Value | undefined): boolean =>
  given === undefined || given === null || (typeof given === 'string' && isBlank(given)) || isEmptyList(given);
const isEmptyList = (given: Value) => Array.isArray(given) && given.length === 0;

/**
 * The values of a use as the component wants them, in the order of its fields (contract §6, Interactions).
 * @throws AppError VALIDATION_FAILED with an issue for each field
 */
export function checkedValues(component: UsedComponent, given: Values): Values {
  if (component.type === 'form') return checkedForm(component.form.fields, given);
  const choices = component.type === 'select' ? [component] : [];
  const fields = choices.map((select) => ({ ...select, type: 'choice' as const, required: select.min > 0 }));
  const values = checkedForm(fields, given);
  // Nothing chosen is a choice too.
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [id, value ?? []]));
}

/** The same for the fields of a form. @throws AppError VALIDATION_FAILED */
export function checkedForm(fields: FormField[], given: Values): Values {
  const known = new Set(fields.map(({ id }) => id));
  const unknown = Object.keys(given).filter((id) => !known.has(id));
  const issues: Issue[] = unknown.map((id) => issue(id, 'is no field of it'));
  const values: Values = {};
  for (const field of fields) {
    // A field may have the name of what every object has.
    const checked = checkedValue(field, Object.hasOwn(given, field.id) ? given[field.id] : undefined);
    if ('wrong' in checked) issues.push(issue(field.id, checked.wrong));
    else values[field.id] = checked.value;
  }
  if (issues.length > 0) throw invalid(issues);
  return values;
}

/** Whether values as someone sent them are those that are kept. */
export function areSame(kept: Values, given: Values): boolean {
  const isKnown = Object.keys(given).every((id) => Object.hasOwn(kept, id));
  return (
    isKnown && Object.entries(kept).every(([id, value]) => isSame(value, Object.hasOwn(given, id) ? given[id] : null))
  );
}

function isSame(kept: Value, given: Value = null): boolean {
  if (kept === null || kept === false) return empty(given) || given === kept;
  return isDeepStrictEqual(Array.isArray(kept) ? new Set(kept) : kept, Array.isArray(given) ? new Set(given) : given);
}

const issue = (id: string, message: string): Issue => ({ path: `values.${id}`, message, code: 'custom' });

function checkedValue(field: FormField, given: Value | undefined): Checked {
  if (field.type === 'checkbox') return ticked(field.required, given ?? false);
  if (empty(given) || given === undefined || given === null) {
    return field.required ? { wrong: 'must not be empty' } : { value: null };
  }
  if (field.type === 'text') return typed(field, given);
  if (field.type === 'number') return counted(field, given);
  if (field.type === 'choice') return chosen(field, given);
  return z.iso.date().safeParse(given).success ? { value: given } : { wrong: 'must be a date, as 2026-01-31' };
}

function ticked(required: boolean, given: Value): Checked {
  if (typeof given !== 'boolean') return { wrong: 'must be true or false' };
  return required && !given ? { wrong: 'must be ticked' } : { value: given };
}

type Field<T extends FormField['type']> = Extract<FormField, { type: T }>;

function typed({ minLength, maxLength, format }: Field<'text'>, given: Value): Checked {
  if (typeof given !== 'string') return { wrong: 'must be a text' };
  if (given.length < minLength) return { wrong: `must have at least ${minLength} characters` };
  if (given.length > maxLength) return { wrong: `must have at most ${maxLength} characters` };
  if (format === 'email' && !z.email().safeParse(given).success) return { wrong: 'must be an e-mail address' };
  if (format === 'url' && !urlSchema.safeParse(given).success) return { wrong: 'must be an http or https address' };
  return { value: given };
}

function counted({ min, max, integer }: Field<'number'>, given: Value): Checked {
  if (typeof given !== 'number') return { wrong: 'must be a number' };
  if (integer && !Number.isInteger(given)) return { wrong: 'must be a whole number' };
  if (min != null && given < min) return { wrong: `must be at least ${min}` };
  if (max != null && given > max) return { wrong: `must be at most ${max}` };
  return { value: given };
}

function chosen({ options, min, max }: Pick<Field<'choice'>, 'options' | 'min' | 'max'>, given: Value): Checked {
  if (!Array.isArray(given)) return { wrong: 'must be a list of options' };
  const picked = options.map(({ value }) => value).filter((value) => given.includes(value));
  if (picked.length < given.length) return { wrong: 'must be options of it, each once' };
  if (picked.length < min) return { wrong: `must be at least ${min} options` };
  if (picked.length > max) return { wrong: `must be at most ${max} options` };
  return { value: picked };
}

import { z } from 'zod';
import { cut } from './quote.ts';
import {
  hasMarkFlood,
  isBlank,
  maxMarks,
  turnsDirection,
  withoutDirections,
  withoutFloods,
} from './unicode/visible.ts';

export { cut };

/** Building blocks of the contracts: the forms of ids, times and texts (contract §1, §13). */

export const idExample = '019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d';
/** Always in lower case: rooms and caches use the exact text of an id as their key. */
export const idSchema = z
  .uuid('must be a UUID')
  .toLowerCase()
  .meta({ examples: [idExample] });

/** An object, or in its place its bare id as a text; the documents show both. */
export const objectOrId = <S extends z.ZodRawShape>(key: keyof S & string, shape: S) =>
  z
    .preprocess((value) => (typeof value === 'string' ? { [key]: value } : value), z.object(shape))
    .meta({ orBareId: true });

export const timeExample = '2026-01-31T12:00:00.000Z';
export const timeSchema = z.iso.datetime({ precision: 3 }).meta({ examples: [timeExample] });

/** A record that has a name of its own in the API documents; unique among all. */
export const record = <S extends z.ZodRawShape>(id: string, shape: S) => z.object(shape).meta({ id });

/**
 * A text of at most `max` UTF-16 units, which is how clients count (contract §13). Zod's own `max` counts code points,
 * as JSON Schema does, so on its own it would let through twice as many.
 */
export const textSchema = (max: number, text: z.ZodString = z.string()) => {
  const error = `must have at most ${max} characters`;
  return text.max(max, { error, abort: true }).refine((value) => value.length <= max, error);
};

/** The description of a server, a channel or an app. */
export const descriptionSchema = textSchema(1024);

const unseen = { error: 'must not be empty', abort: true };

/** A line of 1 to `max` UTF-16 units with a visible character, kept as it was sent (contract §13). */
export const nameSchema = (max: number) =>
  textSchema(max, z.string().min(1, unseen))
    .refine((name) => !isBlank(name), unseen)
    .refine((name) => !/[\p{Cc}\u2028\u2029]/u.test(name), 'must not contain line breaks or control characters')
    .refine((name) => !turnsDirection(name), 'must not contain characters that turn the direction of the text')
    .refine((name) => !hasMarkFlood(name), `must have at most ${maxMarks} marks on a letter`);

/** The beginning of a text that can be a name: what is made of words that nobody gave as one. @returns '' where none is left */
export function nameFrom(text: string, max: number): string {
  const line = withoutDirections(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const name = cut(withoutFloods(line), max).trim();
  return isBlank(name) ? '' : name;
}

export const urlSchema = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .describe('An http or https address.');

/** A colour as people write it in CSS. */
export const colorSchema = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be like "#1a2b3c"')
  .meta({ example: '#1a2b3c' });

const decimal = /^-?\d+(\.\d+)?$/;

/**
 * A number, also written in a query string. Only plain decimals count: JavaScript would make 0 of an empty text, and a
 * client whose position got lost (`?after=`) would get a full replay instead of an error.
 */
export const numberSchema = (number: z.ZodNumber) =>
  z.preprocess((value) => (typeof value === 'string' && decimal.test(value) ? Number(value) : value), number);

const whole = z.number().int('must be a whole number');

/** May be omitted, or be null, which means the same: some clients always send all fields. */
export const omittable = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

/** The same, with the value used then. */
export const withDefault = <S extends z.ZodType>(schema: S, fallback: z.output<S>) =>
  schema
    .nullish()
    .transform((value) => value ?? fallback)
    .meta({ default: fallback });

/** How many entries of a list to return. */
export const limitSchema = (max: number, fallback: number) => numberSchema(whole.min(1).max(max)).default(fallback);

/** How many entries to skip at the beginning of a list. */
export const offsetSchema = (max: number) => numberSchema(whole.min(0).max(max)).default(0);

/** Any JSON object up to `maxBytes`, kept and returned untouched. */
export const jsonObjectSchema = (maxBytes: number) =>
  z
    .record(z.string(), z.unknown())
    .refine(
      (value) => Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
      `must have at most ${maxBytes / 1024} KiB`,
    );

export const seqSchema = numberSchema(whole.min(0));

/** The answer of requests without other content (contract §1). */
export const doneSchema = record('Done', { ok: z.literal(true), success: z.literal(true) });
export const done: z.infer<typeof doneSchema> = { ok: true, success: true };

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

const isoLength = '2026-01-01T00:00:00.000Z'.length;

/** ISO 8601 with milliseconds and `Z`, from a Date, from PostgreSQL's text form, or as it is already. */
export function isoTime(value: Date | string): string {
  if (typeof value === 'string' && value.length === isoLength && value.endsWith('Z')) return value;
  // As PostgreSQL writes it in UTC: rearranging the text takes a tenth of the time of parsing it.
  if (typeof value === 'string' && value.length > 18 && value.endsWith('+00')) {
    return `${value.slice(0, 10)}T${value.slice(11, 19)}.${value.slice(20, -3).padEnd(3, '0').slice(0, 3)}Z`;
  }
  return (value instanceof Date ? value : new Date(value)).toISOString();
}

export function isoTimeOrNull(value: Date | string | null | undefined): string | null {
  return value == null ? null : isoTime(value);
}

/** The types that a list of values can have. */
export type ElementType = 'uuid' | 'int' | 'bigint' | 'boolean' | 'text' | 'json' | 'timestamptz';

/** Separates JSON texts, which cannot contain it (RFC 7464). */
const separator = '\x1e';

/**
 * SQL of a list that is passed as one parameter, built by `arrayText`.
 * @param parameter `$6`
 */
export function arrayOf(type: ElementType, parameter: string): string {
  return type === 'json' ? `${textsOfJson(parameter)}::json[]` : `${parameter}::${type}[]`;
}

/** The same for JSON that stays text. */
export const textsOfJson = (parameter: string): string => `string_to_array(${parameter}, E'\\x1e', '')`;

/**
 * The value `of` each item, as text for PostgreSQL. The driver would scan each value for characters to escape, and escape
 * the quotation marks of JSON, which PostgreSQL then has to unescape: four times the work, for every message.
 * @returns the form that `arrayOf` reads
 */
export function arrayText<T>(type: ElementType, items: readonly T[], of: (item: T) => string | number | null): string {
  if (type === 'json') return items.map((item) => of(item) ?? '').join(separator);
  const write = type === 'text' ? quoted : (value: string | number | null) => value ?? 'NULL';
  return `{${items.map((item) => write(of(item))).join(',')}}`;
}

const special = /["\\]/;

function quoted(value: string | number | null): string {
  if (value === null) return 'NULL';
  const text = String(value);
  return special.test(text) ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : `"${text}"`;
}

/** Two users in the canonical order of a pair. */
export interface Pair {
  low: string;
  high: string;
}

/** The pair of two users, given in any order. */
export function pairOf(one: string, other: string): Pair {
  return one < other ? { low: one, high: other } : { low: other, high: one };
}

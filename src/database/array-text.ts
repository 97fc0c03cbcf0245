/** What a list of values can be of. */
export type ElementType = 'uuid' | 'int' | 'text' | 'json' | 'timestamptz';

/** Stands between JSON texts, in which it cannot be (RFC 7464). */
const separator = '\x1e';

/**
 * SQL of a list that is given as one parameter, made by `arrayText`.
 * @param parameter `$6`
 */
export function arrayOf(type: ElementType, parameter: string): string {
  return type === 'json' ? `${textsOfJson(parameter)}::json[]` : `${parameter}::${type}[]`;
}

/** The same for JSON that is to stay text. */
export const textsOfJson = (parameter: string): string => `string_to_array(${parameter}, E'\\x1e', '')`;

/**
 * What `of` says of each item, as text for PostgreSQL. The driver's own way looks at each value for what has to be escaped,
 * and doubles the quotation marks of JSON with backslashes, which PostgreSQL takes out again: four times the work, for
 * every message.
 * @returns what `arrayOf` reads
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

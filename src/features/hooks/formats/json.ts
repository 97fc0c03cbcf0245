/** A JSON object. */
export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects in what should be a list of them. */
export const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A text as it is, anything else as `linesOf`. */
export const shownIn = (value: unknown): string => (typeof value === 'string' ? value : linesOf(value).join('\n'));

/** What a table has under a name that a stranger chose. */
export const ownIn = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** What is at a path of names with dots between them, or at a name that has dots itself. */
export function at(value: unknown, path: string): unknown {
  if (!isJson(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  const dot = path.indexOf('.');
  if (dot < 0 || !Object.hasOwn(value, path.slice(0, dot))) return undefined;
  return at(value[path.slice(0, dot)], path.slice(dot + 1));
}

/** Whether a value says nothing: there is nothing to show of it. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every(isEmpty));

/** Whether a field is left out. */
type Skips = (name: string) => boolean;

/** Any value as lines of text: nothing of it is left out but what is empty, and names for which `skips` says so. */
export function linesOf(value: unknown, skips: Skips = () => false): string[] {
  if (isEmpty(value)) return [];
  if (typeof value !== 'object' || value === null) return String(value).split('\n');
  if (Array.isArray(value)) return value.flatMap((one) => indented('- ', linesOf(one, skips)));
  return Object.entries(value).flatMap(([name, inner]) => (skips(name) ? [] : named(name, inner, skips)));
}

/** The fields of an object that a format does not know, as text. */
export function restOf(value: Json, known: ReadonlySet<string>, skips?: Skips): string[] {
  const rest = Object.entries(value).filter(([name]) => !known.has(name) && !skips?.(name));
  return rest.flatMap(([name, inner]) => named(name, inner, skips));
}

function named(name: string, value: unknown, skips?: Skips): string[] {
  const lines = linesOf(value, skips);
  if (lines.length === 0) return [];
  const isShort = lines.length === 1 && typeof value !== 'object';
  return isShort ? [`${name}: ${lines[0]}`] : [`${name}:`, ...indented('  ', lines)];
}

function indented(first: string, lines: string[]): string[] {
  const other = ' '.repeat(first.length);
  return lines.map((line, index) => (index === 0 ? first : other) + line);
}

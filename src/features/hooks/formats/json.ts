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

const skipsNothing: Skips = () => false;

/** Any value as lines of text: nothing of it is left out but what is empty, and names for which `skips` says so. */
export function linesOf(value: unknown, skips: Skips = skipsNothing): string[] {
  const lines: string[] = [];
  write(lines, value, noMargin, skips);
  return lines;
}

/** The fields of an object that a format does not know, as text. */
export function restOf(value: Json, known: ReadonlySet<string>, skips: Skips = skipsNothing): string[] {
  const lines: string[] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (!known.has(name) && !skips(name)) writeNamed(lines, name, inner, noMargin, skips);
  }
  return lines;
}

/** What stands before the first line of a value, and before its others. */
interface Margin {
  first: string;
  other: string;
}

const noMargin: Margin = { first: '', other: '' };
/** What is nested deeper stands no further in: a post of very many lines would grow with the depth that they are at. */
const mostIndent = 32;

const within = ({ first, other }: Margin, sign: string): Margin =>
  other.length < mostIndent ? { first: first + sign, other: `${other}  ` } : { first, other };

/** Each line is made once, with all that stands before it, however deep it is. */
function write(lines: string[], value: unknown, { first, other }: Margin, skips: Skips): void {
  if (isEmpty(value)) return;
  const begun = lines.length;
  const here = () => ({ first: lines.length === begun ? first : other, other });
  if (typeof value !== 'object' || value === null) {
    for (const line of String(value).split('\n')) lines.push(here().first + line);
  } else if (Array.isArray(value)) {
    for (const one of value) write(lines, one, within(here(), '- '), skips);
  } else {
    for (const [name, inner] of Object.entries(value)) if (!skips(name)) writeNamed(lines, name, inner, here(), skips);
  }
}

function writeNamed(lines: string[], name: string, value: unknown, { first, other }: Margin, skips: Skips): void {
  if (isEmpty(value)) return;
  if (typeof value !== 'object' && !String(value).includes('\n')) {
    lines.push(`${first}${name}: ${value}`);
    return;
  }
  const head = lines.push(`${first}${name}:`);
  write(lines, value, within({ first: other, other }, '  '), skips);
  if (lines.length === head) lines.pop();
}

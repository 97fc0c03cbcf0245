/** What stands in the place of an argument. */
export type Value = string | number;
/** By their names; nothing stands for what is null. */
export type Values<T = never> = Readonly<Record<string, Value | T | null | undefined>>;

/**
 * A text with its arguments, by the part of ICU MessageFormat that the catalogues use: `{name}`, `{count, plural, =0 {…}
 * one {# …} other {# …}}`, `{kind, select, a {…} other {…}}`, and apostrophes as in ICU.
 * @param locale language tag by which numbers are written and plurals chosen
 */
export function messageText(message: string, values: Values, locale: string): string {
  return messageParts(message, values, locale).join('');
}

/** The same as a list, for arguments that are more than text. */
export function messageParts<T>(message: string, values: Values<T>, locale: string): (string | T)[] {
  if (!/['{]/.test(message)) return [message];
  return partsOf(message, { values, locale, count: null });
}

interface Scope<T> {
  values: Values<T>;
  locale: string;
  /** What `#` stands for; null outside of a plural. */
  count: number | null;
}

function partsOf<T>(message: string, scope: Scope<T>): (string | T)[] {
  const parts: (string | T)[] = [];
  let at = 0;
  while (at < message.length) {
    const [part, next] = partAt(message, at, scope);
    parts.push(...part);
    at = next;
  }
  return parts;
}

/** What begins at a place, and where the next begins. */
function partAt<T>(message: string, at: number, scope: Scope<T>): [(string | T)[], number] {
  const [here, next] = [message[at] ?? '', message[at + 1] ?? ''];
  if (here === "'" && next === "'") return [["'"], at + 2];
  if (here === "'" && (next === '{' || next === '}' || (next === '#' && scope.count !== null))) {
    const end = message.indexOf("'", at + 1);
    return [[message.slice(at + 1, end < 0 ? undefined : end)], end < 0 ? message.length : end + 1];
  }
  if (here === '#' && scope.count !== null) return [[written(scope.count, scope.locale)], at + 1];
  if (here !== '{') {
    const plain = /^[^'{#]+/.exec(message.slice(at))?.[0] ?? here;
    return [[plain], at + plain.length];
  }
  const end = closingOf(message, at);
  return [argument(message.slice(at + 1, end), scope), end + 1];
}

/** Where the brace that opens at a place closes. */
function closingOf(message: string, open: number): number {
  let depth = 0;
  for (let at = open; at < message.length; at++) {
    if (message[at] === '{') depth++;
    if (message[at] === '}' && --depth === 0) return at;
  }
  return message.length;
}

function argument<T>(text: string, scope: Scope<T>): (string | T)[] {
  const [, name = '', kind = '', forms = ''] = /^\s*(\w+)\s*(?:,\s*(\w+)\s*,)?([\s\S]*)$/.exec(text) ?? [];
  const value = scope.values[name] ?? '';
  if (kind === '') return [typeof value === 'number' ? written(value, scope.locale) : value];
  const options = optionsOf(forms);
  if (kind === 'plural' && typeof value === 'number') {
    const category = new Intl.PluralRules(scope.locale).select(value);
    const chosen = options.get(`=${value}`) ?? options.get(category) ?? options.get('other') ?? '';
    return partsOf(chosen, { ...scope, count: value });
  }
  return partsOf(options.get(String(value)) ?? options.get('other') ?? '', scope);
}

/** The forms of a plural or a choice, by their names. */
function optionsOf(text: string): Map<string, string> {
  const options = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('{', at);
    if (open < 0) break;
    const end = closingOf(text, open);
    options.set(text.slice(at, open).trim(), text.slice(open + 1, end));
    at = end + 1;
  }
  return options;
}

const written = (count: number, locale: string): string => new Intl.NumberFormat(locale).format(count);

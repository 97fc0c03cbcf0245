/**
 * What a text shows rather than says: code, quotations, addresses. Nothing in it is a mention (contract §6), and the web
 * client shows it by the same rules.
 */

/** A piece of a text, from `start` up to before `end`. */
export interface Span {
  start: number;
  end: number;
}

/** A block that stands on lines of its own. */
export interface Framed extends Span {
  kind: 'code' | 'quote' | 'table';
  source: string;
}

/** Code is between runs of 3 to 8 backticks, the second no shorter than the first; a table has a line of dashes. */
const framed =
  /(?<![\\`])(?<fence>`{3,8})(?!`)[\s\S]+?\k<fence>`*|(?<quote>^>(?![^ \n])[^\n]*(?:\n>(?![^ \n])[^\n]*)*)|^[^\n|]*\|[^\n]*\n *(?:\| *:?-+:? *(?:\| *:?-+:? *)*|:?-+:? *(?:\| *:?-+:? *)+)(?:\| *)?$(?:\n(?!> )[^\n|]*\|[^\n]*)*/gm;

/**
 * Blocks of code, quotations and tables. The one that starts first contains the others: a quotation in a block of code is
 * code, and one around it a quotation.
 */
export function framedIn(content: string): Framed[] {
  return [...content.matchAll(framed)].map(({ 0: source, index: start, groups }) => {
    const kind = groups?.fence !== undefined ? 'code' : groups?.quote !== undefined ? 'quote' : 'table';
    return { kind, source, start, end: start + source.length };
  });
}

/** Whether the character at a place is written for itself: an odd number of backslashes stands before it. */
export function isEscaped(text: string, at: number, from = 0): boolean {
  let start = at;
  while (start > from && text[start - 1] === '\\') start--;
  return (at - start) % 2 === 1;
}

/** Code within a line. */
export interface CodeSpan extends Span {
  /** How many backticks are around it. */
  signs: number;
}

/**
 * The code within the lines of a text. It stands between runs of equally many backticks; if no such run follows in the
 * line, between as many of the run's last backticks as do recur. A backtick behind a backslash begins none. Each run is
 * looked at once, however many there are: a regular expression would search all of the text for the end of each.
 */
export function codeSpans(text: string): CodeSpan[] {
  if (!text.includes('`')) return [];
  const spans: CodeSpan[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    if (line.includes('`')) spans.push(...spansOf(line, start));
    start += line.length + 1;
  }
  return spans;
}

function spansOf(line: string, offset: number): CodeSpan[] {
  const runs = [...line.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({
    start: index,
    length,
    end: index + length,
  }));
  const ends = Map.groupBy(runs.toReversed(), ({ length }) => length);
  const spans: CodeSpan[] = [];
  let from = 0;
  for (const { start, length, end } of runs) {
    const most = isEscaped(line, start, from) ? length - 1 : length;
    const code = end > from ? codeFrom(end, most, ends) : undefined;
    if (!code) continue;
    spans.push({ start: offset + code.start, end: offset + code.end, signs: code.signs });
    from = code.end;
  }
  return spans;
}

/** The code that starts with a run. @param ends the runs of each length, the first one last; those passed are removed */
function codeFrom(opened: number, most: number, ends: Map<number, { end: number }[]>): CodeSpan | undefined {
  for (let signs = most; signs > 0; signs--) {
    const later = ends.get(signs);
    while (later?.length && (later.at(-1)?.end ?? 0) <= opened) later.pop();
    const close = later?.at(-1);
    if (close) return { start: opened - signs, end: close.end, signs };
  }
  return undefined;
}

/** The text with what it quotes blanked out, so that positions and lines stay. */
export function withoutQuoted(content: string): string {
  const text = withoutBlocks(content);
  return text.includes('/') ? withoutAddresses(text) : text;
}

/** The text with its code and quotations blanked out. */
export function withoutBlocks(content: string): string {
  let text = '';
  let from = 0;
  for (const { kind, source, start, end } of framedIn(content)) {
    if (kind === 'table') continue;
    text += withoutCode(content.slice(from, start)) + blank(source);
    from = end;
  }
  return text + withoutCode(content.slice(from));
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

const withoutCode = (text: string): string => blanked(text, codeSpans(text));

function blanked(content: string, spans: Span[]): string {
  let text = '';
  let from = 0;
  for (const { start, end } of spans) {
    text += content.slice(from, start) + ' '.repeat(end - start);
    from = end;
  }
  return text + content.slice(from);
}

const unspacedText = /[^\s<>"']+/g;

function withoutAddresses(text: string): string {
  const spans: Span[] = [];
  for (const { 0: word, index } of text.matchAll(unspacedText)) {
    const start = addressIn(word);
    if (start !== undefined) spans.push({ start: index + start, end: index + word.length });
  }
  return blanked(text, spans);
}

/** How much is looked at to find the name of a host: it has at most 253 characters. */
const maxHost = 260;
/** `example.com`, `a.example:8080` or `localhost:3000` at the end of a text; `@bob.jr` is none. */
const hostAtEnd =
  /(?<![@＠\p{L}\p{N}\p{M}._-])(?:[\p{L}\p{N}\p{M}_-]+\.)+(?:\p{L}[\p{L}\p{M}]+|xn--[a-z\d-]+)(?::\d+)?$|(?<![@＠\p{L}\p{N}\p{M}._-])\p{L}[\p{L}\p{N}.-]*:\d+$/iu;

/**
 * Where the path of a web address begins in a word: after its host, with or without `https://` before it. Posting the
 * address of a profile, such as `video.example/@bob`, mentions nobody.
 */
function addressIn(word: string): number | undefined {
  const scheme = word.indexOf('://');
  let from = 0;
  for (let slash = word.indexOf('/'); slash >= 0; slash = word.indexOf('/', from)) {
    if (scheme > 0 && slash > scheme && /[a-z]/i.test(word.charAt(scheme - 1))) return scheme;
    if (hostAtEnd.test(word.slice(Math.max(from, slash - maxHost), slash))) return slash;
    from = slash + 1;
  }
  return undefined;
}

/** How a text can be formatted. */
export type Format =
  | ('bold' | 'italic' | 'struck' | 'code' | 'spoiler')
  | ('link' | 'block' | 'quote' | 'bullets' | 'numbers');

/** A text and what is selected of it. */
export interface Written {
  text: string;
  start: number;
  end: number;
}

/** What is to be typed over a part of a text, and what is selected then. */
export interface Typing {
  from: number;
  to: number;
  text: string;
  start: number;
  end: number;
}

const marks: Partial<Record<Format, string>> = { bold: '**', italic: '*', struck: '~~', code: '`', spoiler: '||' };

/** Formats what is selected, or takes the format away where it has it. */
export function formatted(written: Written, format: Format): Typing {
  const mark = marks[format];
  if (mark) return marked(written, mark);
  if (format === 'link') return linked(written);
  return format === 'block' ? fenced(written) : prefixed(written, format);
}

/** How many of a sign are at the beginning of a text. */
const runOf = (text: string, sign: string): number => {
  let count = 0;
  while (text.charAt(count) === sign) count++;
  return count;
};
const reversed = (text: string): string => [...text].reverse().join('');

/** How many of a sign are on both sides of a text. */
const around = (before: string, after: string, sign: string): number =>
  Math.min(runOf(reversed(before), sign), runOf(after, sign));

/** Whether so many signs say what a mark says: one star is italic, two are bold, three are both. */
function has(count: number, mark: string): boolean {
  if (mark === '*') return count === 1 || count === 3;
  return mark === '**' ? count >= 2 : count >= mark.length;
}

function marked(written: Written, mark: string): Typing {
  const { text, start, end } = trimmed(written);
  const sign = mark.charAt(0);
  const selected = text.slice(start, end);
  const within = selected.length > 2 * mark.length ? around(reversed(selected), reversed(selected), sign) : 0;
  // What is selected with its signs.
  const inner = selected.length > 2 * within ? { from: start + within, to: end - within } : { from: start, to: end };
  const outside = around(text.slice(0, inner.from), text.slice(inner.to), sign);
  const { length } = mark;
  const body = text.slice(inner.from, inner.to);
  if (body !== '' && has(outside, mark)) {
    const from = inner.from - length;
    return { from, to: inner.to + length, text: body, start: from, end: from + body.length };
  }
  const at = inner.from + length;
  return { ...inner, text: `${mark}${body}${mark}`, start: at, end: at + body.length };
}

/** Signs count beside letters alone. */
function trimmed({ text, start, end }: Written): Written {
  const selected = text.slice(start, end);
  if (selected.trim() === '') return { text, start, end };
  const from = start + selected.length - selected.trimStart().length;
  return { text, start: from, end: from + selected.trim().length };
}

function linked(written: Written): Typing {
  const { text, start, end } = trimmed(written);
  const selected = text.slice(start, end);
  const isUrl = /^https?:\/\/\S+$/.test(selected);
  const [label, url] = isUrl ? ['', selected] : [selected, 'https://'];
  // What is missing is typed next.
  const at = isUrl || label === '' ? start + 1 : start + label.length + 3;
  const length = isUrl || label === '' ? 0 : url.length;
  return { from: start, to: end, text: `[${label}](${url})`, start: at, end: at + length };
}

/** Where the line begins that a place is in. */
const lineAt = (text: string, place: number): number => (place === 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1);

/** The lines of what is selected, as a whole. */
function linesOf({ text, start, end }: Written): { from: number; to: number; body: string } {
  const from = lineAt(text, start);
  const next = text.indexOf('\n', Math.max(end, start));
  const to = next < 0 ? text.length : next;
  return { from, to, body: text.slice(from, to) };
}

function fenced(written: Written): Typing {
  const { from, to, body } = linesOf(written);
  const bare = /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(body)?.[1];
  if (bare !== undefined) return { from, to, text: bare, start: from, end: from + bare.length };
  return { from, to, text: `\`\`\`\n${body}\n\`\`\``, start: from + 4, end: from + 4 + body.length };
}

const prefixes: Partial<Record<Format, RegExp>> = {
  quote: /^> ?/,
  bullets: /^[-*+] /,
  numbers: /^\d{1,9}[.)] /,
};

function prefixed(written: Written, format: Format): Typing {
  const { from, to, body } = linesOf(written);
  const lines = body.split('\n');
  const own = prefixes[format] ?? /^/;
  const isOn = lines.every((line) => own.test(line) || (line.trim() === '' && lines.length > 1));
  let number = 0;
  const change = (line: string) => {
    if (line.trim() === '' && lines.length > 1) return line;
    if (isOn) return line.replace(own, '');
    // A list of one kind becomes one of the other.
    const bare = format === 'quote' ? line : line.replace(/^(?:[-*+]|\d{1,9}[.)]) /, '');
    const prefix: Partial<Record<Format, string>> = { quote: '> ', bullets: '- ', numbers: `${++number}. ` };
    return (prefix[format] ?? '') + bare;
  };
  const text = lines.map(change).join('\n');
  const at = from + text.length;
  return { from, to, text, start: written.start === written.end ? at : from, end: at };
}

const item = /^(\s*)(?:([-*+])|(\d{1,9})([.)])|(>))\s+(\[[ xX]\]\s+)?/;

/** What a new line begins with behind a list or a quotation; an item without a text ends it. */
export function continued({ text, start }: Written): Typing {
  const from = lineAt(text, start);
  const line = text.slice(from, start);
  const [whole = '', indent = '', bullet, number, dot = '', , box] = item.exec(line) ?? [];
  if (whole !== '' && line.length === whole.length) return { from, to: start, text: '', start: from, end: from };
  const sign = bullet ?? (number === undefined ? '>' : `${Number(number) + 1}${dot}`);
  const next = whole === '' ? '\n' : `\n${indent}${sign} ${box ? '[ ] ' : ''}`;
  const at = start + next.length;
  return { from: start, to: start, text: next, start: at, end: at };
}

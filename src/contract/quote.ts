import type { Components } from './component.ts';
import { codeSpans, framedIn, type Span } from './mentions/quoted.ts';

/** What stands in the place of a spoiler where a text is quoted. */
export const spoilerMark = '▒▒▒';

const sign = '||';

/**
 * The spoilers of a text, `||like this||`, with their signs (contract §6, Spoilers). Nothing in code and tables begins or
 * ends one, nor does a bar behind a backslash. The server hides by this function what it quotes, and the web client what it
 * shows, so that neither takes for a spoiler what the other does not. It takes time in proportion to the text.
 */
export function spoilersIn(content: string): Span[] {
  if (!content.includes(sign)) return [];
  const text = withoutCode(content);
  const spoilers: Span[] = [];
  let start = text.indexOf(sign);
  while (start >= 0) {
    const close = text.indexOf(sign, start + sign.length + 1);
    if (close < 0) break;
    const isEmpty = !/[^|\s]/.test(content.slice(start + sign.length, close));
    if (!isEmpty) spoilers.push({ start, end: close + sign.length });
    start = isEmpty ? close : text.indexOf(sign, close + sign.length);
  }
  return spoilers;
}

/** The text with code, tables and escapes blanked out, so that positions stay. */
function withoutCode(content: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, ' ');
  const blocks = framedIn(content).filter(({ kind }) => kind !== 'quote');
  const text = replaced(content, blocks, blank);
  return replaced(text, codeSpans(text), blank).replace(/\\[\\|]/g, '  ');
}

function replaced(text: string, spans: readonly Span[], by: (piece: string) => string): string {
  let shown = '';
  let from = 0;
  for (const { start, end } of spans) {
    shown += text.slice(from, start) + by(text.slice(start, end));
    from = end;
  }
  return shown + text.slice(from);
}

/** A text with spaces in place of its spoilers, so that positions stay. */
export function blankSpoilers(content: string): string {
  let text = '';
  for (const { start, end } of spoilersIn(content)) {
    text += content.slice(text.length, start) + ' '.repeat(end - start);
  }
  return text + content.slice(text.length);
}

/** A text with a mark in place of each spoiler: for whatever shows it apart from its message. */
export function withoutSpoilers(content: string): string {
  let text = '';
  let from = 0;
  for (const { start, end } of spoilersIn(content)) {
    text += content.slice(from, start) + spoilerMark;
    from = end;
  }
  return text + content.slice(from);
}

/** What stands in brackets in the place of a name. */
interface Named {
  token: string;
  label: string;
}

/**
 * A text with the names of what it mentions in place of ids and of names in brackets: for whatever shows it apart from its
 * mentions.
 */
export function withNames(content: string, mentions: readonly Named[] | null | undefined): string {
  if (!mentions || !content.includes('<')) return content;
  const labels = new Map(mentions.map(({ token, label }) => [token, label]));
  return content.replace(/<([@#])[^\n<>]{1,100}>/g, (token, sign: string) => {
    const label = labels.get(token);
    return label === undefined ? token : sign + label;
  });
}

/**
 * The beginning of a text as others quote it: in previews, replies, notifications and mails.
 * @param content the text, or so much more of it than `max` that a spoiler may have been cut in two: what follows a sign
 *   without another one is left out then
 */
export function quoteOf(content: string, max: number): string {
  const text = withoutSpoilers(content);
  const open = content.length > max ? withoutCode(text).indexOf(sign) : -1;
  return cut(open < 0 ? text : `${text.slice(0, open)}${spoilerMark}`, max);
}

interface Said {
  content: string;
  poll?: { question: string; options: readonly (string | { text: string })[] } | null;
  forwarded?: { content: string } | null;
  components?: Components | null;
}

/** What a component shows, a line each. */
function shownBy(item: Components['items'][number]): string[] {
  if (item.type === 'link') return [`${item.label}: ${item.url}`];
  if (item.type === 'button') return [item.label];
  if (item.type === 'select') return [item.label, ...item.options.map(({ label }) => `- ${label}`)];
  return [item.label, item.form.title, ...item.form.fields.map(({ label }) => `- ${label}`)];
}

/**
 * All that something says in one text, with its poll, its components and what it forwards: for those who judge it, and for
 * lists.
 */
export function saidIn({ content, poll, forwarded, components }: Said): string {
  const options = poll?.options.map((option) => `- ${typeof option === 'string' ? option : option.text}`) ?? [];
  const offered = components?.items.flatMap(shownBy) ?? [];
  const lines = [content, poll?.question, ...options, forwarded?.content, ...offered];
  return lines.filter(Boolean).join('\n');
}

/** The first `max` UTF-16 units of a text, without half of a surrogate pair at the end. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, Math.max(max, 0));
  return head.isWellFormed() ? head : head.slice(0, -1);
}

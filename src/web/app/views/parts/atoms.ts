import type { Message } from '../../../../client/index.ts';
import { codeSpans, framedIn } from '../../../../contract/mentions/quoted.ts';
import { spoilersIn } from '../../../../contract/quote.ts';
import type { Inline } from './inline.ts';

export type Mention = Message['mentions'][number];

/** A piece of a text that is parsed no further. In the text one character of a private range stands for it. */
export interface Atom {
  piece: Inline;
  /** As typed. */
  source: string;
}

/** Of the private use area at the end of Unicode, which is longer than any text. */
const first = 0x10_0000;
/** Of the one before it: what was typed behind a backslash. It is a character like others there, and ends up as text. */
const firstEscaped = 0xf_0000;
const isPrivate = /[\u{f0000}-\u{f007f}\u{100000}-\u{10fffd}]/gu;
const isEscaped = /[\u{f0000}-\u{f007f}]/gu;

/** Stands for `|` that was typed behind a backslash. */
export const escapedBar = String.fromCodePoint(firstEscaped + 0x7c);

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
const escapedBy = (character: string): string => String.fromCodePoint(codeOf(character) - firstEscaped);

export const characterOf = (place: number): string => String.fromCodePoint(first + place);

export const atomOf = (character: string, atoms: readonly Atom[]): Atom | undefined => atoms[codeOf(character) - first];

/** The text as typed. */
export const restored = (text: string, atoms: readonly Atom[]): string =>
  text.replace(isPrivate, (character) =>
    codeOf(character) < first ? `\\${escapedBy(character)}` : (atomOf(character, atoms)?.source ?? character),
  );

/** The text with what was typed behind backslashes as it is shown. */
export const unescaped = (text: string): string => text.replace(isEscaped, escapedBy);

/** A place in a text, and what stands there. */
interface Place {
  start: number;
  end: number;
  piece: Inline;
}

/** A shrug has a backslash for an arm; punctuation behind one is meant as it is; the private ranges are in use. */
const special = /¯\\_\(ツ\)_\/¯|\\([!-/:-@[-`{-~])|[\u{f0000}-\u{f007f}\u{100000}-\u{10fffd}]/gu;

/**
 * A text with an atom in place of each spoiler and each mention: what the server found is shown as one, and nothing else.
 * Punctuation behind a backslash becomes a character without a meaning. Characters of the private ranges become atoms as
 * well, so that none is taken for one.
 */
export function withAtoms(content: string, mentions: readonly Mention[]): { text: string; atoms: Atom[] } {
  const atoms: Atom[] = [];
  const add = (atom: Atom): string => characterOf(atoms.push(atom) - 1);
  const isCode = codeIn(content);
  const plain = (start: number, end: number): string =>
    content.slice(start, end).replace(special, (source, escaped: string | undefined, at: number) => {
      if (escaped === undefined) return add({ piece: { kind: 'text', text: source }, source });
      // In code a backslash is one, and the backtick behind it may be the end.
      return escaped === '`' && isCode(start + at) ? source : String.fromCodePoint(firstEscaped + codeOf(escaped));
    });
  let text = '';
  let from = 0;
  const places = [...spoilersWith(content, mentions), ...mentionsIn(content, mentions)];
  for (const { start, end, piece } of places.sort((one, other) => one.start - other.start)) {
    // In a spoiler, of another version, or of a text that was cut short.
    if (start < from) continue;
    text += plain(from, start) + add({ piece, source: content.slice(start, end) });
    from = end;
  }
  return { text: text + plain(from, content.length), atoms };
}

/** Tells whether a place in a text is in code. */
function codeIn(content: string): (at: number) => boolean {
  if (!content.includes('\\`')) return () => false;
  const blocks = framedIn(content).filter(({ kind }) => kind === 'code');
  const spans = [...blocks, ...codeSpans(content)];
  return (at) => spans.some(({ start, end }) => at >= start && at < end);
}

const mentionsIn = (content: string, mentions: readonly Mention[]): Place[] =>
  mentions.flatMap((mention) => {
    const { token, range } = mention;
    if (token === '' || !content.startsWith(token, range.start)) return [];
    return { start: range.start, end: range.start + token.length, piece: { kind: 'mention', mention } };
  });

/** Each with what is mentioned in it: it is parsed once it is shown. */
const spoilersWith = (content: string, mentions: readonly Mention[]): Place[] =>
  spoilersIn(content).map(({ start, end }) => {
    const [first, last] = [start + 2, end - 2];
    const within = mentions.filter(({ range }) => range.start >= first && range.end <= last);
    const moved = within.map((mention) => {
      const { start, end } = mention.range;
      return { ...mention, range: { start: start - first, end: end - first } };
    });
    return { start, end, piece: { kind: 'spoiler', content: content.slice(first, last), mentions: moved } };
  });

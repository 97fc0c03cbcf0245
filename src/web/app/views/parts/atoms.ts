import type { Message } from '../../../../client/index.ts';
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
const isPrivate = /[\u{100000}-\u{10fffd}]/gu;

export const characterOf = (place: number): string => String.fromCodePoint(first + place);

export const atomOf = (character: string, atoms: readonly Atom[]): Atom | undefined =>
  atoms[(character.codePointAt(0) ?? 0) - first];

/** The text as typed. */
export const restored = (text: string, atoms: readonly Atom[]): string =>
  text.replace(isPrivate, (character) => atomOf(character, atoms)?.source ?? character);

/** A place in a text, and what stands there. */
interface Place {
  start: number;
  end: number;
  piece: Inline;
}

/**
 * A text with an atom in place of each spoiler and each mention: what the server found is shown as one, and nothing else.
 * Characters of the private range become atoms as well, so that none is taken for one.
 */
export function withAtoms(content: string, mentions: readonly Mention[]): { text: string; atoms: Atom[] } {
  const atoms: Atom[] = [];
  const add = (atom: Atom): string => characterOf(atoms.push(atom) - 1);
  const plain = (text: string): string =>
    text.replace(isPrivate, (source) => add({ piece: { kind: 'text', text: source }, source }));
  let text = '';
  let from = 0;
  const places = [...spoilersWith(content, mentions), ...mentionsIn(content, mentions)];
  for (const { start, end, piece } of places.sort((one, other) => one.start - other.start)) {
    // In a spoiler, of another version, or of a text that was cut short.
    if (start < from) continue;
    text += plain(content.slice(from, start)) + add({ piece, source: content.slice(start, end) });
    from = end;
  }
  return { text: text + plain(content.slice(from)), atoms };
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

import type { Message } from '../../../../client/index.ts';
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

/**
 * A text with an atom in place of each mention: what the server found is shown as one, and nothing else. Characters of the
 * private range become atoms as well, so that none is taken for one.
 */
export function withAtoms(content: string, mentions: readonly Mention[]): { text: string; atoms: Atom[] } {
  const atoms: Atom[] = [];
  const add = (atom: Atom): string => characterOf(atoms.push(atom) - 1);
  const plain = (text: string): string =>
    text.replace(isPrivate, (source) => add({ piece: { kind: 'text', text: source }, source }));
  let text = '';
  let from = 0;
  for (const mention of [...mentions].sort((one, other) => one.range.start - other.range.start)) {
    const { token, range } = mention;
    // Of another version, or of a text that was cut short.
    if (range.start < from || token === '' || !content.startsWith(token, range.start)) continue;
    text += plain(content.slice(from, range.start)) + add({ piece: { kind: 'mention', mention }, source: token });
    from = range.start + token.length;
  }
  return { text: text + plain(content.slice(from)), atoms };
}

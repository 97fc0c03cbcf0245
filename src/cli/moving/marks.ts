/**
 * Who and what a text names, as it is kept until accounts and channels are known: characters that no text has stand around
 * its key and how it was shown.
 */

const start = '\uE000';
const bar = '\uE001';
const end = '\uE002';
const any = /[\uE000-\uE002]/g;
const marked = /\uE000([pc])([^\uE000-\uE002]*)\uE001([^\uE000-\uE002]*)\uE002/g;

export interface Mark {
  kind: 'person' | 'channel';
  key: string;
  /** How it is shown where nobody knows it, without its sign. */
  shown: string;
}

/** A text of an export without the characters of marks, and others that the database does not keep. */
export const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '').replace(any, '');

export const personMark = (key: string, shown: string): string => `${start}p${clean(key)}${bar}${clean(shown)}${end}`;
export const channelMark = (key: string, shown: string): string => `${start}c${clean(key)}${bar}${clean(shown)}${end}`;

/** A text in pieces: what is said, and marks. */
export function piecesOf(text: string): (string | Mark)[] {
  const pieces: (string | Mark)[] = [];
  let from = 0;
  for (const { index, 0: whole, 1: kind, 2: key = '', 3: shown = '' } of text.matchAll(marked)) {
    pieces.push(text.slice(from, index), { kind: kind === 'p' ? 'person' : 'channel', key, shown });
    from = index + whole.length;
  }
  return [...pieces, text.slice(from)].filter((piece) => piece !== '');
}

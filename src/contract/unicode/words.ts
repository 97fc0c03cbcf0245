import { scripts } from './scripts.ts';

/** Where words end, in all scripts: the one measure for names within a text (contract §6). */

/** What a character is in a word: one of the kinds below, or the number of its script. 0: there is none. */
type Kind = number;

const nothing = 0;
/** What no word is made of. */
const other = 1;
const mark = 2;
/** A digit, or a letter that is used with several scripts. */
const shared = 3;
/** Of a script without spaces between words. */
const unspaced = 4;
const firstScript = 5;
const latin = firstScript + scripts.indexOf('Latn');

/**
 * Scripts that write words without spaces, or Korean, which puts endings on them: a name may begin and end anywhere in
 * them.
 */
const unspacedScripts = 'Hani Hira Kana Bopo Hang Yiii Thai Laoo Khmr Mymr Tibt Tale Talu Lana Tavt Java Bali'.split(
  ' ',
);
const isUnspacedLetter = new RegExp(`[${unspacedScripts.map((script) => `\\p{scx=${script}}`).join('')}]`, 'u');
/** A group for each script that is in use. */
const anyScript = new RegExp(scripts.map((script) => `(\\p{sc=${script}})`).join('|'), 'u');

function classified(character: string): Kind {
  if (!/[\p{L}\p{N}\p{M}]/u.test(character)) return other;
  if (/\p{M}/u.test(character)) return mark;
  if (isUnspacedLetter.test(character)) return unspaced;
  const script = anyScript.exec(character)?.slice(1).findIndex(Boolean) ?? -1;
  return script < 0 ? shared : firstScript + script;
}

/** The kinds of the characters looked at so far, by their code points: texts have the same ones again and again. */
const known = new Uint8Array(0x2_0000);

function kindOf(code: number): Kind {
  const before = known[code];
  if (before) return before;
  const kind = classified(String.fromCodePoint(code));
  if (code < known.length) known[code] = kind;
  return kind;
}

/** The kind of the character that begins at a place in a text. */
export function kindAt(text: string, at: number): Kind {
  const code = text.codePointAt(at);
  return code === undefined ? nothing : kindOf(code);
}

/** How long the character is that begins at a place, in UTF-16 units. */
export const lengthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Where the character begins that ends before a place. */
const startBefore = (text: string, at: number): number =>
  isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2)) ? at - 2 : at - 1;

/** The kind of the letter or digit that ends before a place, whatever marks are on it; of anything else 0. */
export function letterBefore(text: string, at: number): Kind {
  for (let end = at; end > 0; ) {
    end = startBefore(text, end);
    const kind = kindAt(text, end);
    if (kind !== mark) return kind === other ? nothing : kind;
  }
  return nothing;
}

export const isWord = (kind: Kind): boolean => kind >= mark;
export const isMark = (kind: Kind): boolean => kind === mark;
export const isUnspaced = (kind: Kind): boolean => kind === unspaced;
/** Whether a letter is Latin, or a digit, or of no script: what addresses are written in. */
export const isPlain = (kind: Kind): boolean => kind === latin || kind === shared;

/**
 * Whether one word ends and another one begins between a letter and what follows it: where either is of a script without
 * spaces, or the script changes. No letter is parted from its marks.
 */
export function isBoundary(letter: Kind, after: Kind): boolean {
  if (after === mark) return false;
  if (letter === unspaced || after === unspaced) return true;
  return letter !== after && letter !== shared && after !== shared;
}

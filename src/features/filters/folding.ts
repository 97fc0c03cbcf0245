import { foldedKey, plainLookAlike } from '../../contract/unicode/skeleton.ts';

/**
 * The form in which texts and entries are compared, a character at a time, so that a text may arrive in pieces: without
 * case, compatibility forms and accents, look-alikes of other scripts as the Latin letters they look like, and without
 * what nobody sees (contract §6, Filters).
 *
 * Marks that make other letters (vowels of Indic scripts, the voicing of kana) stay: without them words are other words.
 */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Me}\p{Noncharacter_Code_Point}]|(?=[^\s\x85])\p{Cc}/u;
const accent = /(?=\p{Mn})(?![\u3099\u309a])[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Latin}]/u;
const blank = /[\s\x85\u2800]/u;
const ofWord = /[\p{L}\p{N}\p{M}_]/u;
/** Scripts that are written without spaces between words: each of their letters may begin or end one. */
export const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** Symbols of a folded character: each its code point times two, plus one if it is part of a word. */
export type Symbols = readonly number[];

export const space = 0x20;

function foldedLetter(letter: string): string {
  if (blank.test(letter)) return ' ';
  if (unseen.test(letter) || accent.test(letter)) return '';
  return plainLookAlike(letter)?.toLowerCase() ?? letter;
}

function classed(letter: string): number {
  const isOfWord = ofWord.test(letter) && !(letter > '\x7f' && unspaced.test(letter));
  return (letter.codePointAt(0) ?? 0) * 2 + (isOfWord ? 1 : 0);
}

function fold(codePoint: number): Symbols {
  const letters = foldedKey(String.fromCodePoint(codePoint)).normalize('NFKD');
  return Array.from(Array.from(letters, foldedLetter).join(''), classed);
}

/** Code point → one more than its symbol; below 0: its symbols are in `several`. Filled as characters occur. */
const known = new Int32Array(0x110000);
const several: Symbols[] = [];

function learn(codePoint: number): number {
  const symbols = fold(codePoint);
  const [first] = symbols;
  const entry = symbols.length === 1 && first !== undefined ? first + 1 : -several.push(symbols);
  known[codePoint] = entry;
  return entry;
}

/** The symbol of a character; below 0: it has none, since nobody sees it, or several. */
export function symbolOf(codePoint: number): number {
  const entry = known[codePoint] || learn(codePoint);
  return entry > 0 ? entry - 1 : -1;
}

/** The symbols of a character. */
export function symbolsOf(codePoint: number): Symbols {
  const symbol = symbolOf(codePoint);
  return symbol >= 0 ? [symbol] : (several[-(known[codePoint] ?? 0) - 1] ?? []);
}

/** The folded form of a text, with single spaces. Two entries with the same form match the same. */
export function foldedText(text: string): string {
  const symbols = Array.from(text, (letter) => symbolsOf(letter.codePointAt(0) ?? 0)).flat();
  const folded = symbols.map((symbol) => String.fromCodePoint(symbol >> 1)).join('');
  return folded.replace(/ +/g, ' ').trim();
}

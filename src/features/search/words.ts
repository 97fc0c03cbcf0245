import { foldedKey } from '../../contract/unicode/skeleton.ts';

/**
 * The words of a text as the search compares them (contract §6, Search): split at punctuation and between scripts, by ICU's
 * dictionaries where words have no spaces, and without differences of normal form, case, accents and vowel signs that
 * people leave out.
 */

export interface Token {
  word: string;
  /** Letters and pairs of them are of Chinese, Japanese and Korean. */
  kind: 'word' | 'letter' | 'pair';
  /** Its place among the words, from 1 on. */
  at: number;
  /** Where it stands in the text, in UTF-16 units; the end is exclusive. */
  start: number;
  end: number;
}

/** Longer words are cut: what follows distinguishes no words that people type. */
const maxWord = 64;

/** A character with what composes with it, and a decomposed Thai or Lao vowel with the letter that it is written after. */
const clusters = /[\s\S]\p{M}{0,8}[\u0e4d\u0ecd]\p{M}{0,8}[\u0e32\u0eb2]|[\s\S][\p{M}\u1160-\u11ff\uff9e\uff9f]*/gu;
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640]/gu;
const zeroWidthSpace = /\u200b/g;

/**
 * Words in scripts without spaces between them: each letter of Chinese, Japanese and Korean, so that any piece is found;
 * runs of Thai, Lao, Khmer and Burmese, which the dictionaries divide; and what is a word everywhere else.
 */
const pieces =
  /([[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]&&[\p{L}\p{N}]])|([[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{N}\p{M}]]+)|[[\p{L}\p{N}\p{M}]--[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]&&[\p{L}\p{N}]]--[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]+/gv;
const isWord = /[\p{L}\p{N}]/u;

/** Accents, harakat and niqqud; not the voicing of kana, nor vowels of Indic scripts, without which words are other words. */
const accent = /(?=\p{Mn})(?![\u3099\u309a])[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Latin}]/gu;
const dictionary = new Intl.Segmenter('und', { granularity: 'word' });

/** Letters that people without them on their keyboards replace. */
const plainLetters: Record<string, string> = {
  ...{ ø: 'o', đ: 'd', ð: 'd', ł: 'l', ħ: 'h', ŧ: 't', ı: 'i', æ: 'ae', œ: 'oe', þ: 'th' },
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ک: 'ك' },
};
const replaced = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu');
const zeros = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xed0, 0x1040, 0x17e0];
const otherDigit = /(?![0-9])\p{Nd}/gu;

function digit(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const zero = zeros.find((one) => code >= one && code < one + 10);
  return zero === undefined ? letter : String(code - zero);
}

/** What a function makes of short texts, of which few occur again and again: it takes many times as long. */
function remembered(make: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (text.length > longestKnown) return make(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= mostKnown) known.clear();
    const made = make(text);
    known.set(text, made);
    return made;
  };
}
const longestKnown = 16;
const mostKnown = 20_000;

const folded = remembered((piece) => {
  if (/^[\0-\x7f]*$/.test(piece)) return piece.toLowerCase().slice(0, maxWord);
  const bare = foldedKey(piece).normalize('NFD').replace(accent, '').normalize('NFC');
  const plain = bare.replace(replaced, (letter) => plainLetters[letter] ?? letter).replace(otherDigit, digit);
  return Array.from(plain).slice(0, maxWord).join('');
});

/** A text in compatibility form, and where each of its units stands in the original; null: at the same place. */
interface Plain {
  text: string;
  places: number[] | null;
}

const composed = remembered((cluster) => {
  const text = cluster.replace(zeroWidthSpace, ' ').replace(unseen, '').normalize('NFKC');
  return text
    .replace(/\u0e4d([\u0e48-\u0e4b]*)\u0e32/g, '$1\u0e33')
    .replace(/\u0ecd([\u0ec8-\u0ecb]*)\u0eb2/g, '$1\u0eb3');
});

function plainOf(text: string): Plain {
  if (/^[\0-\x7f]*$/.test(text)) return { text, places: null };
  let plain = '';
  const places: number[] = [];
  for (const { 0: cluster, index } of text.matchAll(clusters)) {
    const piece = cluster < '\x80' ? cluster : composed(cluster);
    for (let unit = 0; unit < piece.length; unit++) places.push(index);
    plain += piece;
  }
  places.push(text.length);
  return { text: plain, places };
}

interface Piece {
  text: string;
  start: number;
  end: number;
  /** One letter of a script whose words are found by any piece. */
  isLetter: boolean;
}

function* piecesOf(plain: string): Generator<Piece> {
  for (const { 0: text, 1: letter, 2: run, index } of plain.matchAll(pieces)) {
    const end = index + text.length;
    if (run === undefined) {
      const isLetter = letter !== undefined;
      if (isLetter || isWord.test(text)) yield { text, start: index, end, isLetter };
      continue;
    }
    for (const { segment, index: at } of dictionary.segment(text)) {
      if (!isWord.test(segment)) continue;
      yield { text: segment, start: index + at, end: index + at + segment.length, isLetter: false };
    }
  }
}

/**
 * The words of a text in order. A letter of Chinese, Japanese or Korean is one, and so are each two of them: a pair is rare
 * where its letters are not.
 * @param most positions; words after them are left out
 */
export function tokensOf(text: string, most: number): Token[] {
  const { text: plain, places } = plainOf(text);
  const placeOf = (unit: number) => places?.[unit] ?? unit;
  const tokens: Token[] = [];
  let at = 0;
  let before: { word: string; start: number; end: number } | undefined;
  for (const piece of piecesOf(plain)) {
    const word = folded(piece.text);
    if (word === '') continue;
    if (++at > most) break;
    // A letter may be part of a cluster that became several.
    const start = placeOf(piece.start);
    const end = Math.max(placeOf(piece.end), start + 1);
    if (piece.isLetter && before?.end === piece.start) {
      tokens.push({ word: before.word + word, kind: 'pair', at: at - 1, start: placeOf(before.start), end });
    }
    tokens.push({ word, kind: piece.isLetter ? 'letter' : 'word', at, start, end });
    before = piece.isLetter ? { word, start: piece.start, end: piece.end } : undefined;
  }
  return tokens;
}

/** A word of a query, and how far it stands after the first one of its phrase. */
export interface QueryWord {
  word: string;
  offset: number;
  isPrefix: boolean;
}

/**
 * What a text is found by: its words in a row, pairs of letters in the place of these.
 * @param isOpen its last word may go on
 */
export function phraseOf(text: string, most: number, isOpen: boolean): QueryWord[] {
  const tokens = tokensOf(text, most);
  const paired = new Set(tokens.flatMap(({ kind, at }) => (kind === 'pair' ? [at, at + 1] : [])));
  const wanted = tokens.filter(({ kind, at }) => kind !== 'letter' || !paired.has(at));
  const first = wanted[0]?.at ?? 0;
  return wanted.map(({ word, at, kind }, index) => ({
    word,
    offset: at - first,
    isPrefix: isOpen && kind === 'word' && word.length > 1 && index === wanted.length - 1,
  }));
}

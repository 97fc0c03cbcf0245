/** How well a name fits to what was typed. */
export interface Fit {
  /** Comparable with those of other names for the same text. */
  score: number;
  /** The places in the name that fit, in UTF-16 units; the end is exclusive. */
  marks: readonly { start: number; end: number }[];
}

interface Letter {
  /** Without case and accents. */
  text: string;
  start: number;
  end: number;
  /** Whether a word begins with it. */
  isFirst: boolean;
}

const perLetter = 1;
const inSequence = 7;
const atWord = 6;
const atName = 4;
const perGap = 0.1;
const perUnused = 0.02;

/**
 * How a name fits to a text whose letters it has in their order: all of them in a row, or from the beginning of a word on with
 * others between them. Each word of the text is looked for by itself. @returns null: it does not
 */
export function fitOf(name: string, typed: string): Fit | null {
  const letters = lettersOf(name);
  const at = new Set<number>();
  let score = -letters.length * perUnused;
  for (const word of wordsOf(typed)) {
    const found = fitOfWord(letters, word);
    if (!found) return null;
    score += found.score;
    for (const one of found.at) at.add(one);
  }
  return { score, marks: marksOf(letters, at) };
}

/** The words of a text that someone looks for something by. */
const wordsOf = (typed: string): string[][] =>
  typed
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => lettersOf(word).map(({ text }) => text));

function lettersOf(name: string): Letter[] {
  const all: Letter[] = [];
  let start = 0;
  let before = ' ';
  for (const sign of name) {
    const end = start + sign.length;
    const isFirst = isLetter(sign) && (!isLetter(before) || (isSmall(before) && !isSmall(sign)));
    const folded = sign.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    for (const text of folded) all.push({ text, start, end, isFirst });
    before = sign;
    start = end;
  }
  return all;
}

const isLetter = (sign: string): boolean => /[\p{L}\p{N}]/u.test(sign);
const isSmall = (sign: string): boolean => /\p{Ll}/u.test(sign);

interface Found {
  score: number;
  /** Indexes of letters. */
  at: number[];
}

/** The best of all ways in which a name has the letters of a word in their order. */
function fitOfWord(letters: readonly Letter[], word: readonly string[]): Found | null {
  let best: Found | null = null;
  const all = letters.map((_, start) => fitFrom(letters, word, start));
  for (const found of all) if (found && found.score > (best?.score ?? 0)) best = found;
  return best;
}

/** How a name has the letters of a word with the first of them at one place: in a row, or each at the next place after it. */
function fitFrom(letters: readonly Letter[], word: readonly string[], start: number): Found | null {
  const first = letters[start];
  if (first?.text !== word[0]) return null;
  const row = word.every((text, i) => letters[start + i]?.text === text);
  if (row)
    return scored(
      letters,
      Array.from(word, (_, i) => start + i),
    );
  if (!first?.isFirst) return null;
  const at = along(letters, word, start, true) ?? along(letters, word, start, false);
  return at && scored(letters, at);
}

/** The places of a word's letters, each at the next place after the one before, or at the next word where one begins with it. */
function along(letters: readonly Letter[], word: readonly string[], start: number, byWords: boolean): number[] | null {
  const at = [start];
  for (const text of word.slice(1)) {
    const from = (at.at(-1) ?? start) + 1;
    const next = nextOf(letters, text, from, byWords);
    if (next < 0) return null;
    at.push(next);
  }
  return at;
}

function nextOf(letters: readonly Letter[], text: string, from: number, byWords: boolean): number {
  if (letters[from]?.text === text) return from;
  const find = (isWanted: (letter: Letter) => boolean) =>
    letters.findIndex((letter, i) => i >= from && letter.text === text && isWanted(letter));
  const word = byWords ? find(({ isFirst }) => isFirst) : -1;
  return word >= 0 ? word : find(() => true);
}

function scored(letters: readonly Letter[], at: number[]): Found {
  const firstLetter = letters.findIndex(({ isFirst }) => isFirst);
  let score = 0;
  for (const [i, place] of at.entries()) {
    const before = at[i - 1];
    score += perLetter;
    if (before === place - 1) score += inSequence;
    else if (before !== undefined) score -= (place - before) * perGap;
    if (letters[place]?.isFirst) score += atWord;
    if (place === firstLetter) score += atName;
  }
  return { score, at };
}

function marksOf(letters: readonly Letter[], at: ReadonlySet<number>): Fit['marks'] {
  const marks: { start: number; end: number }[] = [];
  for (const [i, { start, end }] of letters.entries()) {
    if (!at.has(i)) continue;
    const last = marks.at(-1);
    if (last && last.end >= start) last.end = Math.max(last.end, end);
    else marks.push({ start, end });
  }
  return marks;
}

interface Named {
  name: string;
  /** What else it is known by, such as where it is. */
  about: string;
  /** How many messages are unread there. */
  count: number;
}

export type Ranked<T> = T & { score: number; marks: Fit['marks'] };

/** What is unread comes before what fits as well. */
const forUnread = 3;
const forAbout = -6;

/**
 * Those of a list that a text may mean, the best first: by their own names, or else by what they are known by besides. Without
 * a text all of them, those with something unread first.
 */
export function ranked<T extends Named>(all: readonly T[], typed: string): Ranked<T>[] {
  const text = typed.trim();
  const found = all.flatMap((one): Ranked<T>[] => {
    const fit = fitOf(one.name, text) ?? besides(one, text);
    if (!fit) return [];
    return [{ ...one, marks: fit.marks, score: fit.score + (one.count > 0 ? forUnread : 0) }];
  });
  if (text === '') return found.sort((a, b) => Number(b.count > 0) - Number(a.count > 0));
  return found.sort((a, b) => b.score - a.score);
}

function besides({ name, about }: Named, text: string): Fit | null {
  const fit = fitOf(`${name} ${about}`, text);
  return fit && { score: fit.score + forAbout, marks: fit.marks.filter(({ end }) => end <= name.length) };
}

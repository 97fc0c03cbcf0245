import { invalid } from '../../contract/schema/validation.ts';
import { type Token, tokensOf } from '../search/words.ts';
import type { NewKeyword } from './keyword.table.ts';

/**
 * How someone's own words are found in a text (contract §7): by the words of the search, one after the other, so that case,
 * accents and forms of letters make no difference; and with the signs that the keyword has around and between its words.
 */

/** A keyword has fewer words than it may have characters. */
const mostInKeyword = 64;
/** Where a keyword begins with a word that is said again and again, it is looked for at so many places. */
const mostPlaces = 200;

/** The words of a text that may be part of a keyword: pairs of letters only help to find some. */
const single = (tokens: Token[]): Token[] => tokens.filter(({ kind }) => kind !== 'pair');

/**
 * Keywords as they are kept, each once.
 * @throws AppError VALIDATION_FAILED for one without a word
 */
export function keptKeywords(texts: string[]): NewKeyword[] {
  const kept = new Map<string, NewKeyword>();
  for (const [index, text] of texts.entries()) {
    const tokens = tokensOf(text, mostInKeyword);
    const [longest] = tokens.toSorted((a, b) => b.word.length - a.word.length);
    if (!longest) throw invalid([{ path: `keywords.${index}`, message: 'must have a word', code: 'custom' }]);
    const form = partsOf(text, single(tokens)).join('\n');
    if (!kept.has(form)) kept.set(form, { text, word: longest.word });
  }
  return [...kept.values()];
}

/** What stands before, between and after the words of a text, and these. */
function partsOf(text: string, tokens: Token[]): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { word, start, end } of tokens) {
    parts.push(signsOf(text.slice(from, start)), word);
    from = end;
  }
  return [...parts, signsOf(text.slice(from))];
}

/** Apostrophes differ by keyboard alone. */
const signsOf = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\u2018\u2019]/g, "'");

/** A text in which keywords are looked for. */
export class Said {
  /** The words by which keywords in it are found. */
  readonly words: string[];
  private readonly text: string;
  private readonly tokens: Token[];
  /** The signs before each of `tokens`. */
  private readonly between: string[];
  /** Where each word stands among `tokens`. */
  private readonly places: Map<string, number[]>;

  /** @param most words after them are left out */
  constructor(text: string, most: number) {
    const all = tokensOf(text, most);
    this.text = text;
    this.tokens = single(all);
    this.between = this.tokens.map(({ start }, at) => signsOf(text.slice(this.tokens[at - 1]?.end ?? 0, start)));
    this.words = [...new Set(all.map(({ word }) => word))];
    this.places = new Map();
    for (const [place, { word }] of this.tokens.entries()) {
      const known = this.places.get(word);
      if (known) known.push(place);
      else this.places.set(word, [place]);
    }
  }

  has(keyword: string): boolean {
    const wanted = single(tokensOf(keyword, mostInKeyword));
    const parts = partsOf(keyword, wanted);
    const places = this.places.get(wanted[0]?.word ?? '') ?? [];
    return places.slice(0, mostPlaces).some((place) => this.standsAt(place, wanted.length, parts));
  }

  /** @param parts of a keyword of so many words, as `partsOf` gives them */
  private standsAt(place: number, count: number, parts: string[]): boolean {
    for (let at = 0; at < count; at++) {
      if (this.tokens[place + at]?.word !== parts[2 * at + 1]) return false;
      if (at > 0 && this.between[place + at] !== parts[2 * at]) return false;
    }
    const [first, last] = [this.tokens[place], this.tokens[place + count - 1]];
    if (!first || !last) return false;
    const [before, after] = [parts[0] ?? '', parts.at(-1) ?? ''];
    return (
      signsOf(this.text.slice(Math.max(0, first.start - before.length), first.start)) === before &&
      signsOf(this.text.slice(last.end, last.end + after.length)) === after
    );
  }
}
